//! Random crowds, and crowds that refine them or nearly do.

use refmap::{Process, Rule};
use refmap_testing::Random;

use super::{Claim, Crowd, Likeness, Move, Token};

/// The case of a seed.
pub fn draw(seed: u64) -> Likeness {
    let rng = &mut Random(seed);
    let components = rng.pick(&[2, 2, 3, 3, 4]);
    let (places, values) = (2 + rng.below(2) as u8, 1 + rng.below(3) as u8);
    let rules = ["enter", "leave", "swap"].map(|name| Rule::new(name, "component", "random"));
    let mut specification = Crowd::new(rules.to_vec(), components, places, values);
    for place in &mut specification.shown {
        *place = rng.below(2) as u8;
    }
    for _ in 0..2 + rng.below(6) {
        let drawn = Move {
            rule: rng.below(3),
            from: (
                rng.below(places.into()) as u8,
                rng.below(values.into()) as u8,
            ),
            to: (
                rng.below(places.into()) as u8,
                rng.below(values.into()) as u8,
            ),
            token: rng.pick(&[Token::Ignored, Token::Ignored, Token::Taken, Token::GivenUp]),
        };
        specification.moves.push(drawn);
    }
    specification.initial = match rng.below(3) {
        0 => vec![0, places - 1],
        _ => vec![0],
    };

    // Each place of the specification is one or two places of the implementation, between which a
    // component wanders without being seen.
    let images: Vec<u8> = (0..places)
        .chain((0..places).filter(|_| rng.percent(40)))
        .collect();
    let rules = ["in", "out", "turn", "wander"];
    let rules = rules.map(|name| Rule::new(name, "component", "random"));
    let mut concrete = Crowd::new(rules.to_vec(), components, images.len() as u8, values);
    concrete.is_wide = seed % 2 == 1;
    let mut answers = Vec::new();
    for (number, step) in (0..).zip(&specification.moves) {
        for (place, image) in (0..).zip(&images) {
            let targets =
                (0..images.len() as u8).filter(|to| images[usize::from(*to)] == step.to.0);
            let to = rng.pick(&targets.collect::<Vec<_>>());
            if *image == step.from.0 && rng.percent(80) {
                concrete.moves.push(Move {
                    from: (place, step.from.1),
                    to: (to, step.to.1),
                    ..*step
                });
                answers.push(Some(number));
            }
        }
    }
    for (place, image) in (0..).zip(&images).skip(places.into()) {
        let value = rng.below(values.into()) as u8;
        for (from, to) in [(place, *image), (*image, place)] {
            concrete.moves.push(Move {
                rule: 3,
                from: (from, value),
                to: (to, value),
                token: Token::Ignored,
            });
            answers.push(None);
        }
    }
    let shown = |image: &u8| specification.shown[usize::from(*image)];
    concrete.shown = images.iter().map(shown).collect();
    concrete.initial.clone_from(&specification.initial);
    let chance = rng.pick(&[0, 50, 100]);
    concrete.may_stop = (0..values).map(|_| rng.percent(chance)).collect();

    // Spoils one thing, half of the time.
    let moves = concrete.moves.len();
    match rng.below(12) {
        0 => concrete.shown[rng.below(images.len())] = 2,
        1 => specification.initial = vec![places - 1],
        2 | 3 if moves > 0 => {
            let spoiled = rng.below(moves);
            answers[spoiled] = rng
                .percent(50)
                .then(|| rng.below(specification.moves.len()) as u8);
        }
        4 | 5 if moves > 0 => {
            concrete.moves[rng.below(moves)].to.0 = rng.below(images.len()) as u8;
        }
        _ => (),
    }
    let claims = ["first", "second"].map(|name| Claim {
        name,
        place: rng.below(images.len()) as u8,
        at_most: rng.below(usize::from(components) + 1),
        only_if_held: rng.percent(40),
    });
    let environment = match rng.below(3) {
        0 => vec![],
        1 => vec![Process::numbered("component", 0)],
        _ => (0..components.into())
            .map(|component| Process::numbered("component", component))
            .collect(),
    };
    Likeness {
        concrete,
        specification,
        images,
        answers,
        claims: claims.into_iter().filter(|_| rng.percent(60)).collect(),
        environment,
    }
}
