; Gripper: a robot with grippers carries balls from room to room.
(define (domain gripper)
  (:requirements :strips :typing)
  (:types room ball gripper)
  (:predicates
    (at-robby ?place - room)
    (at ?load - ball ?place - room)
    (free ?claw - gripper)
    (carry ?load - ball ?claw - gripper))

  (:action pick
    :parameters (?load - ball ?place - room ?claw - gripper)
    :precondition (and (free ?claw) (at-robby ?place) (at ?load ?place))
    :effect (and (not (free ?claw)) (not (at ?load ?place)) (carry ?load ?claw)))

  (:action drop
    :parameters (?load - ball ?place - room ?claw - gripper)
    :precondition (and (carry ?load ?claw) (at-robby ?place))
    :effect (and (not (carry ?load ?claw)) (free ?claw) (at ?load ?place)))

  (:action move
    :parameters (?here ?there - room)
    :precondition (at-robby ?here)
    :effect (and (not (at-robby ?here)) (at-robby ?there))))
