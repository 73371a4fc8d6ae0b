; Barman: a robot with two hands fills shots from dispensers and mixes cocktails of two ingredients in a shaker.
(define (domain barman)
  (:requirements :strips :typing)
  (:types
    hand level dispenser beverage container - object
    ingredient cocktail - beverage
    shot shaker - container)
  (:predicates
    (handempty ?h - hand)
    (holding ?h - hand ?it - container)
    (ontable ?it - container)
    (empty ?it - container)
    (clean ?it - container)
    (used ?it - container ?drink - beverage)
    (contains ?it - container ?drink - beverage)
    (unshaked ?mixer - shaker)
    (shaked ?mixer - shaker)
    (shaker-level ?mixer - shaker ?at - level)
    (shaker-empty-level ?mixer - shaker ?at - level)
    (next ?low ?high - level)
    (dispenses ?tap - dispenser ?drink - ingredient)
    (cocktail-part1 ?mix - cocktail ?drink - ingredient)
    (cocktail-part2 ?mix - cocktail ?drink - ingredient))

  ; hands
  (:action grasp
    :parameters (?h - hand ?it - container)
    :precondition (and (handempty ?h) (ontable ?it))
    :effect (and (not (handempty ?h)) (not (ontable ?it)) (holding ?h ?it)))
  (:action leave
    :parameters (?h - hand ?it - container)
    :precondition (holding ?h ?it)
    :effect (and (not (holding ?h ?it)) (handempty ?h) (ontable ?it)))

  ; shots: filling one leaves a trace, which only an equal drink or cleaning can follow
  (:action fill-shot
    :parameters (?glass - shot ?drink - ingredient ?h ?other - hand ?tap - dispenser)
    :precondition (and (dispenses ?tap ?drink) (holding ?h ?glass) (handempty ?other) (empty ?glass) (clean ?glass))
    :effect (and (not (empty ?glass)) (not (clean ?glass)) (contains ?glass ?drink) (used ?glass ?drink)))
  (:action refill-shot
    :parameters (?glass - shot ?drink - ingredient ?h ?other - hand ?tap - dispenser)
    :precondition (and (dispenses ?tap ?drink) (holding ?h ?glass) (handempty ?other) (empty ?glass)
                       (used ?glass ?drink))
    :effect (and (not (empty ?glass)) (contains ?glass ?drink)))
  (:action empty-shot
    :parameters (?h - hand ?glass - shot ?drink - beverage)
    :precondition (and (holding ?h ?glass) (contains ?glass ?drink))
    :effect (and (not (contains ?glass ?drink)) (empty ?glass)))
  (:action clean-shot
    :parameters (?glass - shot ?drink - beverage ?h ?other - hand)
    :precondition (and (holding ?h ?glass) (handempty ?other) (empty ?glass) (used ?glass ?drink))
    :effect (and (not (used ?glass ?drink)) (clean ?glass)))

  ; the shaker: each ingredient raises its level, each serving lowers it
  (:action pour-shot-to-clean-shaker
    :parameters (?glass - shot ?drink - ingredient ?mixer - shaker ?h - hand ?low ?high - level)
    :precondition (and (next ?low ?high) (holding ?h ?glass) (contains ?glass ?drink) (empty ?mixer) (clean ?mixer)
                       (shaker-level ?mixer ?low))
    :effect (and (not (contains ?glass ?drink)) (empty ?glass) (not (empty ?mixer)) (not (clean ?mixer))
                 (contains ?mixer ?drink) (unshaked ?mixer)
                 (not (shaker-level ?mixer ?low)) (shaker-level ?mixer ?high)))
  (:action pour-shot-to-used-shaker
    :parameters (?glass - shot ?drink - ingredient ?mixer - shaker ?h - hand ?low ?high - level)
    :precondition (and (next ?low ?high) (holding ?h ?glass) (contains ?glass ?drink) (unshaked ?mixer)
                       (shaker-level ?mixer ?low))
    :effect (and (not (contains ?glass ?drink)) (empty ?glass) (contains ?mixer ?drink)
                 (not (shaker-level ?mixer ?low)) (shaker-level ?mixer ?high)))
  (:action shake
    :parameters (?mix - cocktail ?one ?two - ingredient ?mixer - shaker ?h ?other - hand)
    :precondition (and (cocktail-part1 ?mix ?one) (cocktail-part2 ?mix ?two) (holding ?h ?mixer) (handempty ?other)
                       (contains ?mixer ?one) (contains ?mixer ?two) (unshaked ?mixer))
    :effect (and (not (contains ?mixer ?one)) (not (contains ?mixer ?two)) (contains ?mixer ?mix)
                 (not (unshaked ?mixer)) (shaked ?mixer)))
  (:action pour-shaker-to-shot
    :parameters (?drink - beverage ?glass - shot ?h - hand ?mixer - shaker ?high ?low - level)
    :precondition (and (next ?low ?high) (holding ?h ?mixer) (shaked ?mixer) (contains ?mixer ?drink) (empty ?glass)
                       (clean ?glass) (shaker-level ?mixer ?high))
    :effect (and (not (empty ?glass)) (not (clean ?glass)) (contains ?glass ?drink)
                 (not (shaker-level ?mixer ?high)) (shaker-level ?mixer ?low)))
  (:action empty-shaker
    :parameters (?h - hand ?mixer - shaker ?mix - cocktail ?from ?to - level)
    :precondition (and (shaker-empty-level ?mixer ?to) (holding ?h ?mixer) (shaked ?mixer) (contains ?mixer ?mix)
                       (shaker-level ?mixer ?from))
    :effect (and (not (shaked ?mixer)) (not (contains ?mixer ?mix)) (empty ?mixer)
                 (not (shaker-level ?mixer ?from)) (shaker-level ?mixer ?to)))
  (:action clean-shaker
    :parameters (?h ?other - hand ?mixer - shaker)
    :precondition (and (holding ?h ?mixer) (handempty ?other) (empty ?mixer))
    :effect (clean ?mixer)))
