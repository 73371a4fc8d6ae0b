; Tyreworld: change the wheels of a car with what is in its boot.
(define (domain tyreworld)
  (:requirements :strips :typing)
  (:types container hub thing - object tool wheel nut - thing)
  (:constants wrench jack pump - tool)
  (:predicates
    (unlocked ?box - container)
    (closed ?box - container)
    (isopen ?box - container)
    (in ?it - thing ?box - container)
    (have ?it - thing)
    (on-ground ?axle - hub)
    (not-on-ground ?axle - hub)
    (tight ?bolt - nut ?axle - hub)
    (loose ?bolt - nut ?axle - hub)
    (fastened ?axle - hub)
    (unfastened ?axle - hub)
    (on ?tyre - wheel ?axle - hub)
    (free ?axle - hub)
    (intact ?tyre - wheel)
    (not-inflated ?tyre - wheel)
    (inflated ?tyre - wheel))

  ; the boot
  (:action open
    :parameters (?box - container)
    :precondition (and (closed ?box) (unlocked ?box))
    :effect (and (not (closed ?box)) (isopen ?box)))
  (:action close
    :parameters (?box - container)
    :precondition (isopen ?box)
    :effect (and (not (isopen ?box)) (closed ?box)))
  (:action fetch
    :parameters (?it - thing ?box - container)
    :precondition (and (isopen ?box) (in ?it ?box))
    :effect (and (not (in ?it ?box)) (have ?it)))
  (:action put-away
    :parameters (?it - thing ?box - container)
    :precondition (and (isopen ?box) (have ?it))
    :effect (and (not (have ?it)) (in ?it ?box)))

  ; the jack stays under the hub that it lifts
  (:action jack-up
    :parameters (?axle - hub)
    :precondition (and (have jack) (on-ground ?axle))
    :effect (and (not (have jack)) (not (on-ground ?axle)) (not-on-ground ?axle)))
  (:action jack-down
    :parameters (?axle - hub)
    :precondition (not-on-ground ?axle)
    :effect (and (not (not-on-ground ?axle)) (on-ground ?axle) (have jack)))

  ; nuts turn while the hub is on the ground, and come off while it is up
  (:action loosen
    :parameters (?bolt - nut ?axle - hub)
    :precondition (and (have wrench) (on-ground ?axle) (tight ?bolt ?axle))
    :effect (and (not (tight ?bolt ?axle)) (loose ?bolt ?axle)))
  (:action tighten
    :parameters (?bolt - nut ?axle - hub)
    :precondition (and (have wrench) (on-ground ?axle) (loose ?bolt ?axle))
    :effect (and (not (loose ?bolt ?axle)) (tight ?bolt ?axle)))
  (:action undo
    :parameters (?bolt - nut ?axle - hub)
    :precondition (and (have wrench) (not-on-ground ?axle) (fastened ?axle) (loose ?bolt ?axle))
    :effect (and (not (loose ?bolt ?axle)) (not (fastened ?axle)) (unfastened ?axle) (have ?bolt)))
  (:action do-up
    :parameters (?bolt - nut ?axle - hub)
    :precondition (and (have wrench) (not-on-ground ?axle) (unfastened ?axle) (have ?bolt))
    :effect (and (not (have ?bolt)) (not (unfastened ?axle)) (fastened ?axle) (loose ?bolt ?axle)))

  ; wheels
  (:action remove-wheel
    :parameters (?tyre - wheel ?axle - hub)
    :precondition (and (not-on-ground ?axle) (unfastened ?axle) (on ?tyre ?axle))
    :effect (and (not (on ?tyre ?axle)) (free ?axle) (have ?tyre)))
  (:action put-on-wheel
    :parameters (?tyre - wheel ?axle - hub)
    :precondition (and (not-on-ground ?axle) (unfastened ?axle) (free ?axle) (have ?tyre))
    :effect (and (not (free ?axle)) (not (have ?tyre)) (on ?tyre ?axle)))
  (:action inflate
    :parameters (?tyre - wheel)
    :precondition (and (have pump) (intact ?tyre) (not-inflated ?tyre))
    :effect (and (not (not-inflated ?tyre)) (inflated ?tyre))))
