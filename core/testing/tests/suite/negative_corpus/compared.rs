//! A system and what it overrides, compared in one state with other states, of which each counts.

use refmap::{Action, Disagreement, Process, Rule, RuleId, TransitionSystem, disagreement};

/// Doors, of which each is opened at itself and leads to the next one; and what is wrong of one of them.
struct Doors {
    wrong: Wrong,
    door: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    Nothing,
    /// The door is opened at the first one, too, as `fire` says.
    Fire,
    /// The same as `allows` says.
    Allows,
    IsInitial,
    Twice,
    Rule,
    Process,
}

impl Doors {
    const COUNT: u8 = 5;

    fn has(&self, wrong: Wrong, door: u8) -> bool {
        self.wrong == wrong && self.door == door
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
struct Open(u8);

impl Action<Doors> for Open {
    fn rules(_: &Doors) -> &[Rule] {
        const { &[Rule::new("open", "guest", "a test")] }
    }

    fn rule(&self, doors: &Doors) -> RuleId {
        RuleId(usize::from(doors.has(Wrong::Rule, self.0)))
    }

    fn process(&self, doors: &Doors) -> Process {
        let is_wrong = doors.has(Wrong::Process, self.0);
        Process::new(if is_wrong { "host" } else { "guest" })
    }
}

impl TransitionSystem for Doors {
    type State = u8;
    type Action = Open;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(u8)) {
        visit(0);
    }

    fn candidates(&self, from: &u8, visit: &mut impl FnMut(Open)) {
        visit(Open(*from));
        if *from == 0 {
            // Of two actions the second one is offered twice.
            visit(Open(Self::COUNT));
            if self.wrong == Wrong::Twice {
                visit(Open(Self::COUNT));
            }
        }
    }

    fn fire(&self, Open(door): &Open, state: &mut u8) -> Option<()> {
        let is_wrong = *state == 0 && self.has(Wrong::Fire, *door);
        let is_there = *state == 0 && *door == Self::COUNT || state == door;
        (is_there != is_wrong).then(|| *state = (*state + 1) % Self::COUNT)
    }

    fn observe(&self, _: &u8) {}

    fn allows(&self, from: &u8, Open(door): &Open, to: &u8) -> bool {
        let is_there = *from == 0 && *door == Self::COUNT || from == door;
        let is_allowed = is_there && *to == (from + 1) % Self::COUNT;
        is_allowed != (*from == 0 && *to == self.door && self.wrong == Wrong::Allows)
    }

    fn is_initial(&self, state: &u8) -> bool {
        (*state == 0) != self.has(Wrong::IsInitial, *state)
    }
}

/// A contradiction is found with each of several actions that other states have, and with each of these states.
#[test]
fn each_of_other_states_is_compared_with() {
    let of = |wrong, door| {
        let others: Vec<u8> = (0..Doors::COUNT).collect();
        disagreement(&Doors { wrong, door }, &0, &others)
    };
    assert_eq!(of(Wrong::Nothing, 0), None);
    for door in 1..Doors::COUNT {
        for (wrong, expected) in [
            (Wrong::Fire, ("fire", "next")),
            (Wrong::Allows, ("allows", "next")),
            (Wrong::IsInitial, ("is_initial", "initial")),
        ] {
            let found = of(wrong, door);
            let told = match &found {
                Some(Disagreement::Overridden { method, origin, .. }) => Some((*method, *origin)),
                _ => None,
            };
            assert_eq!(told, Some(expected), "{wrong:?} {door}: {found:?}");
        }
        let found = of(Wrong::Rule, door);
        assert!(
            matches!(found, Some(Disagreement::NoSuchRule { .. })),
            "{door}: {found:?}"
        );
        let found = of(Wrong::Process, door);
        assert!(
            matches!(found, Some(Disagreement::OtherProcess { .. })),
            "{door}: {found:?}"
        );
    }
    let action = format!("{:?}", Open(Doors::COUNT));
    assert_eq!(
        of(Wrong::Twice, 0),
        Some(Disagreement::OfferedTwice { action })
    );
}
