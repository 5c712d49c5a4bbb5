//! Claims of the x86-TSO collector.

use refmap_cli::catalogue::Claim;
use refmap_refinements::tso::{AT_COARSE, AT_REDUCED};

use super::super::arguments::arguments_of;
use super::{CYCLES, NAME, of_collector, of_cycles, parameters};

/// Claims; counts and lengths without a source of their own were found by this checker. The larger instances, and
/// the variants that take longer, are tests that are run on request.
pub(in super::super) fn claims() -> Vec<Claim> {
    let holds = |words: &str| Claim::holds(NAME, arguments_of(&parameters(), words));
    let coarse = |words: &str| holds(words).only(&AT_COARSE);
    let freed = |words: &str, length| {
        Claim::violated(NAME, arguments_of(&parameters(), words), "simulation")
            .only(&["simulation"])
            .length(length)
    };
    let joined = |words: &str| {
        let words = format!("granularity=reduced {words}");
        holds(&words).only(&AT_REDUCED).up_to_symmetry()
    };
    let lost = |words: &str, length| {
        let words = format!("granularity=reduced {words}");
        let arguments = arguments_of(&parameters(), &words);
        let claim = Claim::violated(NAME, arguments, "simulation");
        claim.only(&AT_REDUCED).up_to_symmetry().length(length)
    };
    let cycles = |words: &str| arguments_of(&of_cycles(), words);
    let section = "Gammie et al., section 1.1";
    let handshakes = "Gammie et al., Fig. 2 and section 4";
    let senses = "Gammie et al., section 2.2";
    let barriers = "Gammie et al., section 2.1";
    let fences = "Gammie et al., section 2.4";
    let mut claims = vec![
        holds("references=1 granularity=fine")
            .counts(78_740, 233_030)
            .source(
                section,
                "it frees nothing reachable; a second program counts as many states",
            ),
        coarse("references=1").counts(6_518, 25_462).source(
            section,
            "… with steps run together that nobody can tell apart",
        ),
        coarse("references=1 initial=all").source(section, "… whatever it begins with"),
        coarse("")
            .counts(133_495, 510_856)
            .up_to_symmetry()
            .exercising_all()
            .source(section, "… with two references: every rule fires"),
        joined("mutators=2")
            .counts(330_254, 1_448_442)
            .source(section, "… with two mutators as well, by joined steps"),
        joined("references=3")
            .counts(59_123, 200_563)
            .source(section, "… and with three references"),
        freed("without=deletion-barrier", 76)
            .source(barriers, "unsafe without the deletion barrier"),
        Claim::violated(
            NAME,
            arguments_of(&parameters(), "without=deletion-barrier"),
            "invariant:marked_deletions",
        )
        .length(40)
        .source(
            "Gammie et al., section 3.2",
            "… and the invariant on pending deletions goes first",
        ),
        lost("without=insertion-barrier", 47)
            .source(barriers, "unsafe without the insertion barrier"),
        joined("without=insertion-barrier-after-roots references=3")
            .states(59_902)
            .source(
                "Gammie et al., section 4",
                "it can be left out once the mutator's roots are marked",
            ),
        joined("barriers=insertion-first")
            .states(4_678)
            .source("Gammie et al., section 4", "the barriers may change places"),
        freed("without=root-marking", 51).source(
            "Gammie et al., Fig. 2, lines 18–19",
            "unsafe if mutators do not mark their roots",
        ),
        freed("without=collector-fence", 48)
            .source(fences, "unsafe if noop handshakes begin without a fence"),
        freed("without=mutator-fence", 55)
            .source(fences, "unsafe if mutators answer without a fence"),
        joined("mutators=2 without=idle-noop without=idle-flip-noop")
            .counts(576_189, 2_770_847)
            .source(handshakes, "the first two handshakes can be left out, both"),
        lost("mutators=2 without=init-noop", 30)
            .states(317_104)
            .source(handshakes, "unsafe without the init handshake"),
        lost("without=mark-noop", 35).source(handshakes, "unsafe without the mark handshake …"),
        joined("without=mark-noop keep-fences")
            .states(3_796)
            .source(handshakes, "… because of its fence, with one mutator"),
        lost("mutators=2 without=mark-noop keep-fences", 31)
            .states(196_775)
            .source(handshakes, "… and with two, even with the fence"),
        lost("references=3 without=get-work", 26).source(
            "Gammie et al., Fig. 2, lines 31–34",
            "unsafe if marking ends without asking for work",
        ),
        lost("allocate=not-fa", 43).source(senses, "unsafe to allocate with the other sense"),
        lost("allocate=fm", 47).source(senses, "unsafe to allocate marked in every phase"),
        lost("allocate=white-in-mark", 43).source(senses, "unsafe to allocate white while marking"),
        lost("fa-never-flips", 45).source(senses, "unsafe if fA is never set to fM"),
        joined("memory=pso buffer=2").states(15_855).source(
            "Gammie et al., section 2.4",
            "safe where buffers are in order for each location only",
        ),
        coarse("memory=sc")
            .states(90_710)
            .source(fences, "safe where stores act at once …"),
        coarse("memory=sc without=collector-fence")
            .states(90_584)
            .source(fences, "… without the collector's fence too"),
        coarse("memory=sc without=mutator-fence")
            .states(90_710)
            .source(fences, "… and without the mutators'"),
        Claim::holds(CYCLES, cycles(""))
            .only(&AT_COARSE)
            .counts(143_723, 551_741)
            .up_to_symmetry()
            .source(
                "Gammie et al., section 4",
                "no garbage survives the second end of a cycle",
            ),
        Claim::violated(
            CYCLES,
            cycles("references=1 cycles=1"),
            "invariant:freed_in_time",
        )
        .length(56)
        .source("Gammie et al., section 4", "… and some survives the first"),
    ];
    claims.extend(liveness());
    claims
}

/// Cycles end and garbage is freed, under the weakest set of fairness conditions that suffices: without each of them cycles
/// need not end.
fn liveness() -> Vec<Claim> {
    let connection = "Gammie et al., section 4, Connection With Reality";
    let arguments = |words: &str| {
        let words = format!("references=1 granularity=fine {words}");
        arguments_of(&of_collector(), &words)
    };
    let stuck = |unfair: &str, says| {
        let arguments = arguments(&format!("unfair={unfair}"));
        let claim = Claim::violated(NAME, arguments, "always-eventually:sweeps");
        let only = claim.only(&["simulation", "always-eventually:sweeps"]);
        only.source(connection, says)
    };
    vec![
        Claim::holds(NAME, arguments(""))
            .only(&["simulation", "fairness", "leads-to", "always-eventually"])
            .source(
                connection,
                "cycles end and garbage is freed, if collector, mutators and buffers make progress",
            ),
        stuck("collector", "… and not if the collector may stop"),
        stuck("mutators", "… nor if a mutator may, within an operation"),
        stuck("polls", "… nor if it need not look for handshakes"),
        stuck(
            "strong-polls",
            "… nor if it may always be in an operation when it could: weak fairness does not do",
        ),
        stuck(
            "collector-commits",
            "… nor if the collector's stores may stay in its buffer",
        ),
        stuck("mutator-commits", "… nor if a mutator's may"),
    ]
}
