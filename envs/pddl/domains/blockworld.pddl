; Blockworld: one arm rearranges towers of blocks on a table that has room for all.
(define (domain blockworld)
  (:requirements :strips :typing)
  (:types block)
  (:predicates
    (arm-empty)
    (holding ?it - block)
    (clear ?it - block)
    (on-table ?it - block)
    (on ?it ?base - block))

  (:action pickup
    :parameters (?it - block)
    :precondition (and (arm-empty) (on-table ?it) (clear ?it))
    :effect (and (not (arm-empty)) (not (on-table ?it)) (not (clear ?it)) (holding ?it)))

  (:action putdown
    :parameters (?it - block)
    :precondition (holding ?it)
    :effect (and (not (holding ?it)) (arm-empty) (on-table ?it) (clear ?it)))

  (:action unstack
    :parameters (?it ?base - block)
    :precondition (and (arm-empty) (clear ?it) (on ?it ?base))
    :effect (and (not (arm-empty)) (not (clear ?it)) (not (on ?it ?base)) (holding ?it) (clear ?base)))

  (:action stack
    :parameters (?it ?base - block)
    :precondition (and (holding ?it) (clear ?base))
    :effect (and (not (holding ?it)) (not (clear ?base)) (arm-empty) (on ?it ?base) (clear ?it))))
