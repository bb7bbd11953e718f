"""What words mean to the checks: the same, the opposite, a negation, a verb, nothing much. Tables only.

The tables hold plain words; they are compared by stem, so one form of a word stands for all its endings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache

# Left of the bar: words that stand for one another; right: those that mean the opposite.
# A row that begins with ! has words on its right that are opposites of its left, not of one meaning.
# A row that begins with ~ turns round when its two sides are exchanged: A precedes B, B follows A.
SENSES: tuple[str, ...] = (
    # more and less
    "~ more higher greater larger bigger increase raise rise grow growth grew boost gain enlarge expand"
    " elevate amplify heighten superior strengthen widen increment | less fewer lower smaller decrease"
    " reduce reduction cut decline drop diminish shrink lessen decrement low weaken narrow compress"
    " mitigate alleviate fall fell save minimize",
    "~ better best improve improvement enhance enhancement outperform surpass exceed beat superior excel"
    " outdo superiority advance gain boost raise top win advantage benefit | worse worst degrade"
    " degradation deteriorate underperform inferior lag trail harm hurt impair worsen lose",
    "~ faster quicker quick fast rapid speedup accelerate acceleration hasten speed expedite swift |"
    " slower slow slowdown decelerate delay sluggish",
    "~ before precede prior earlier first ahead precursor early predate | after follow subsequent later"
    " afterwards succeed late then next",
    "~ cheaper cheap inexpensive economical low-cost | expensive pricey",
    "~ simpler simple easy easier straightforward plain | complex complicated hard difficult harder"
    " intricate challenging",
    "~ longer long lengthy | shorter short brief",
    "~ stronger strong robust powerful | weaker weak fragile brittle",
    "~ dense denser densely | sparse sparser sparsely",
    "~ large big huge vast massive considerable substantial sizable | small tiny little minor slight"
    " modest negligible limited marginal insignificant scarce few",
    "often frequent frequently usually generally typically commonly | rarely seldom infrequent infrequently",
    "many numerous multiple several lots various plenty abundant | few scarce rare single",
    "~ high | low",
    "maximize maximise maximum maximal most | minimize minimise minimum minimal least lowest",
    "~ accurate accuracy precise exact correct | inaccurate imprecise wrong incorrect erroneous error",
    "~ deep deeper | shallow shallower",
    "~ wide broad broader wider | narrow narrower",
    "~ rich abundant | poor",
    "~ positive positively | negative negatively",
    # success and failure
    "succeed success solve resolve overcome handle cope address tackle reliably | fail failure struggle"
    " unsolved unable confuse confusion collapse break",
    "effective effectively useful helpful helps beneficial benefit valuable | ineffective useless"
    " unhelpful harmful",
    "efficient efficiently efficiency economical frugal lightweight | inefficient wasteful prohibitive",
    "sufficient enough adequate | insufficient inadequate lacking",
    "suitable suited appropriate prepared well-suited fit | unsuitable inappropriate unsuited ill poorly"
    " unfit",
    "likely probable | unlikely improbable",
    "possible feasible able capable enable allow permit let can | impossible infeasible unable incapable"
    " prevent prohibit preclude forbid hinder block",
    "encourage promote facilitate foster support motivate stimulate aid favor assist | discourage inhibit"
    " hinder prevent suppress oppose impede deter undermine inhibitor",
    "motivator driver incentive enabler facilitator | inhibitor barrier obstacle impediment",
    "accept adopt keep retain preserve maintain conserve remain | reject abandon drop discard lose remove"
    " eliminate destroy change",
    "include contain comprise incorporate add involve | exclude omit remove lack eliminate",
    "satisfy fulfill meet obey respect comply honor | violate breach break",
    "viable feasible practical affordable | infeasible impractical expensive prohibitive",
    "share shared common same joint | own separate individual distinct different",
    "agree consistent confirm corroborate coherent match | disagree inconsistent contradict refute"
    " conflict mismatch",
    "prove show demonstrate establish confirm verify | disprove refute",
    "stable stability steady | unstable instability volatile",
    "safe secure security | unsafe insecure vulnerable dangerous",
    "known familiar seen | unknown unfamiliar unseen novel",
    "advantage strength benefit merit pro | disadvantage weakness drawback con limitation shortcoming"
    " pitfall",
    "dominate majority most | minority",
    "begin start initiate launch | end stop finish terminate halt cease conclude",
    "open public available released publicly | closed private proprietary secret unavailable confidential",
    "converge convergence | diverge divergence",
    "attract attraction | repel repulsion",
    "appear emerge arise occur develop | disappear vanish",
    "optimal optimum best ideal | suboptimal",
    # dependence and change
    "depend dependent dependence sensitive sensitivity rely reliance affect influence correlate"
    " correlation related associate | independent independence insensitive invariant invariance robust"
    " robustness unaffected uncorrelated unrelated irrespective regardless agnostic uninfluenced",
    "grow vary depend increase rise | independent constant fixed bounded irrespective regardless invariant",
    "invariant invariance unchanged unaffected constant fixed static frozen stable | change alter modify"
    " vary shift update evolve",
    "need require requirement rely reliance depend necessitate demand necessary essential want | free"
    " unnecessary optional needless dispense obviate eliminate avoid",
    "frozen pretrained pre-trained | scratch",
    "supervised labeled annotated | unsupervised unlabeled unannotated self-supervised",
    "! linear linearly | quadratic quadratically exponential exponentially nonlinear logarithmic cubic"
    " sublinear superlinear",
    "! exponential exponentially | polynomial polynomially logarithmic",
    "convex | nonconvex",
    "well | poorly badly",
    "online | offline",
    "static | dynamic",
    "local locally | global globally",
    "discrete | continuous",
    "synchronous | asynchronous",
    "centralized | decentralized distributed",
    "parametric | nonparametric",
    "parallel parallelizable concurrent simultaneous together jointly joint | sequential serial"
    " separately separate",
    "deterministic | stochastic random probabilistic",
    "explicit explicitly | implicit implicitly",
    "homogeneous | heterogeneous",
    "symmetric | asymmetric",
    "manual manually hand handcrafted human | automatic automatically automated autonomous automate",
    "human | machine",
    "real real-world actual physical | simulated synthetic artificial virtual simulation",
    "upper | lower",
    "top | bottom",
    "coarse coarser | fine finer",
    "inner inside interior internal within | outer outside exterior external",
    "direct directly | indirect indirectly",
    "theoretical theoretically theory analytic | empirical empirically practice experimental",
    "generative | discriminative",
    "qualitative qualitatively | quantitative quantitatively",
    "general generic universal broad | specific particular special narrow",
    "encode encoder | decode decoder",
    "! comparable comparably similar similarly competitive par match equal equally same | different"
    " differ worse better outperform inferior superior",
    "balanced even | imbalanced unbalanced skewed",
    "consider account consideration heed incorporate | ignore neglect disregard overlook miss",
    "remember memorize retain | forget",
    "trust trustworthy | distrust mistrust",
    "male men man | female women woman",
    "old older elderly | young younger",
    "visible visibly overt | hidden covert invisible latent concealed",
    "hide conceal cover | reveal expose disclose uncover show",
    "allow permit | forbid ban prohibit",
    "win victory | lose defeat loss",
    "healthy normal benign | sick abnormal malignant diseased",
    "sick ill diseased | healthy",
    "noisy | clean noiseless noise-free",
    "balanced | unbalanced imbalanced biased",
    "biased bias | unbiased fair",
    "labeled label | unlabeled",
    "full complete whole entire | partial incomplete part half",
    "single one | multiple several many various",
    "shared common joint | separate individual private distinct",
    "central centralized | distributed decentralized peripheral",
    "additional extra more further | fewer less",
    "input | output",
    "encrypt cipher | decrypt decipher",
    "positive | negative",
    "rise rose ascend | fall descend",
    "thick thicker | thin thinner",
    "hot hotter warm | cold colder cool",
    "bright brighter | dark darker dim",
    "heavy heavier | light lighter lightweight",
    "near close nearby | far distant remote",
    "same identical | different distinct various diverse",
    "sharp | blunt blurry smooth",
    "active | inactive passive dormant",
    "legal lawful | illegal unlawful",
    "natural | artificial synthetic unnatural",
    "unique | common shared ambiguous",
    "predictable deterministic | unpredictable random stochastic erratic",
    "exact exactly precise | approximate approximately rough",
    "intractable | tractable",
    "acute | chronic",
    "inhibit inhibition inhibitory suppress | excite excitation excitatory stimulate activate",
    "absorb absorption | emit emission release",
    "expand expansion | contract contraction",
    "attach bind | detach unbind release",
    # words that stand for one another
    "restrict confine limit constrain bound",
    "throw discard drop waste lose remove",
    "divide split partition separate cut shard",
    "speak mention discuss refer",
    "pay monetary paid payment",
    "extend extent broad",
    "usually generally typically mostly commonly normally largely",
    "merge unify combine fuse",
    "compare contrast",
    "list name enumerate itemize",
    "plug plug-and-play pluggable",
    "count number amount total",
    "earlier previous previously prior before former past",
    "later subsequent afterwards",
    "need demand",
    "write express specify formulate describe represent",
    "serve act function",
    "example illustration instance demonstrate illustrate",
    "view see regard consider treat interpret",
    "teach educate instruct train",
    "grasp understand comprehend",
    "fast real-time efficient quick",
    "watch observe monitor track",
    "deal handle treat manage process address",
    "steer guide direct control",
    "transmit send transfer deliver communicate",
    "receive get obtain",
    "store save keep hold",
    "fit match suit correspond agree",
    "arise stem come originate derive emerge",
    "occur happen arise",
    "seek aim try attempt strive",
    "close near nearby adjacent neighboring",
    "error-prone unreliable",
    "attack adversary threat",
    "defend protect guard secure defense",
    "malware virus malicious",
    "wage salary income pay",
    "nation country state",
    "city town urban",
    "child kid infant",
    "mail email message",
    "phone call",
    "website web site page",
    "hardware device equipment",
    "chip processor gpu cpu",
    "graph network",
    "node vertex",
    "edge link connection",
    "matrix tensor",
    "loss objective criterion cost",
    "prior preceding",
    "gradient derivative",
    "attention focus",
    "caption describe description",
    "label annotation annotate tag",
    "prompt instruction",
    "blend mixture mix",
    "trajectory path track route",
    "policy strategy",
    "reward payoff return",
    "episode trial",
    "task problem job",
    "skill ability capability capacity competence",
    "flaw defect weakness limitation shortcoming drawback bug",
    "benefit advantage gain merit",
    "hypothesis assumption premise",
    "evidence proof support",
    "correlation association relationship relation",
    "trend tendency pattern",
    "peak maximum top",
    "threshold cutoff",
    "budget limit",
    "deadline time",
    "encode render embed represent map represented convert transform express turn translate encoding"
    " transcribe",
    "use utilize employ exploit leverage adopt apply via usage utilization harness help means based using"
    " rely",
    "show demonstrate reveal indicate find observe report confirm suggest illustrate discover finding"
    " note exhibit",
    "propose introduce present develop describe design devise offer suggest put give provide create",
    "test evaluate assess examine measure benchmark validate check experiment try verify evaluation"
    " assessment trial probe judge",
    "achieve attain reach obtain get yield deliver give gain score produce earn record",
    "build construct create make develop generate produce design compose assemble form establish",
    "reproduce recover give replicate regain restore yield recreate duplicate",
    "get derive deduce obtain infer follow extract gain compute",
    "estimate approximate calculate compute evaluate determine infer predict quantify",
    "predict forecast anticipate infer prediction foresee",
    "enable allow let permit support possible help make",
    "choose select pick selection choice identify decide prefer",
    "find locate detect identify recognize localize discover detection recognition localization spot",
    "distinguish discriminate tell differentiate separate separable separability",
    "combine merge fuse integrate unify join aggregate blend couple incorporate together mix",
    "split divide partition separate segment decompose cut",
    "explain account clarify interpret understand elucidate explanation",
    "study investigate examine explore analyze research consider analysis inquire look inspect survey",
    "cover span include comprise encompass range treat deal",
    "concern regard about relate",
    "collect gather acquire assemble",
    "learn train learning training",
    "fine-tune finetune tune adapt adaptation adjust",
    "train fit optimize learn",
    "solve address tackle handle resolve cope deal overcome mitigate",
    "avoid prevent evade escape circumvent eliminate bypass",
    "remove eliminate discard drop erase delete",
    "refine refinement polish improve",
    "guarantee ensure assure secure certify provably guaranteed",
    "prove provable proof provably show theorem",
    "enjoy have admit possess own hold feature carry satisfy",
    "hold stay remain keep",
    "cause lead induce drive result trigger bring due produce yield determine because",
    "important critical crucial essential key vital significant major main primary central importance"
    " matter impactful prominent",
    "part component element piece module portion constituent section",
    "people person human individual identity subject participant user respondent man woman",
    "firm company enterprise business organization corporation",
    "image picture photo photograph visual photographic",
    "data dataset corpus database record recording collection benchmark set",
    "gap difference discrepancy disparity distance",
    "kind type class category sort form family",
    "goal aim objective purpose target",
    "problem task challenge issue question difficulty",
    "method approach technique algorithm procedure scheme strategy framework system model recipe pipeline"
    " tool mechanism solution way methodology process",
    "variant version form extension modification",
    "result finding outcome insight conclusion",
    "feature characteristic attribute property trait",
    "error mistake loss",
    "bound limit guarantee rate",
    "test-time inference inference-time",
    "step stage phase timestep iteration",
    "run execute perform conduct carry deploy execution",
    "runtime time latency delay",
    "cost expense price overhead compute computation",
    "resource memory compute computation",
    "competitive comparable par rival similar",
    "baseline baselines competitor competing existing previous prior alternative standard conventional"
    " traditional",
    "state-of-the-art sota leading best state-of-art existing",
    "new novel original",
    "robust reliable resilient stable",
    "text document passage textual",
    "sentence utterance",
    "word token term vocabulary",
    "speech spoken audio voice",
    "talk speak",
    "link connect tie connection couple relate refer",
    "question query",
    "answer reply response respond",
    "spread dispersion distribution distribute",
    "several multiple many various number numerous",
    "half fifty",
    "quarter",
    "nothing only exclusively solely just alone merely",
    "alone only itself solely",
    "usual common typical typically usually frequently popular widely ordinary",
    "rank order ranking position",
    "shape form geometry",
    "weight parameter coefficient",
    "layer level",
    "neural network net architecture",
    "quality performance",
    "role function",
    "place position location site spot",
    "origin source",
    "sample example instance case datapoint",
    "noise noisy",
    "work operate function perform",
    "generalize transfer generalization generalise transferable",
    "replace substitute place swap exchange",
    "extend extension generalize expand extended",
    "start initial begin",
    "complete whole full entire total overall",
    "clear remarkable significant notable considerable marked substantial great drastic dramatic"
    " pronounced large",
    "strong significant high",
    "approximate about around roughly near nearly almost close",
    "describe explain outline summarize review",
    "code implementation software program source-code",
    "release publish publicly available open-source",
    "doctor physician clinician",
    "patient subject",
    "illness disease disorder",
    "buy purchase",
    "student learner pupil",
    "teacher instructor tutor",
    "author researcher writer",
    "orientation direction angle",
    "anisotropy anisotropic",
    "size scale magnitude volume extent",
    "measure metric score index criterion",
    "mean average",
    "world environment",
    "motion movement move",
    "steps process procedure",
    "sum total summarize add",
    "robot robotic agent",
    "field area domain discipline",
    "expert specialist professional",
    "vehicle car automobile",
    "phone mobile smartphone",
)

# Verb (its stem) and particle that mean one thing together.
_PHRASES = (
    "speed up speedup; speeds up speedup; sped up speedup; give back reproduce; gives back reproduce;"
    " carry out perform; rule out prevent; rules out prevent; find out discover; point out show; make up"
    " comprise; set up establish; build on extend; account for explain; lead to cause; consist of"
    " comprise; result in cause; refer to link; sum up total; cut down reduce; scale up increase; free"
    " from free; free of free; get rid eliminate; brings about cause; rely on rely; depend on depend;"
    " take part participate; top of upon; well as also; from scratch scratch; fine tune finetune; fine tuned"
    " finetune; fine tunes finetune; fine tuning finetune"
)

# Verbs that may be missing from an abstract without the claim being any less true.
VERBS = frozenset(
    """
    accelerate achieve acquire act adapt add address adopt affect aim align allow analyze appear apply
    argue ask assess assign assume attain avoid balance base become begin believe belong bind bound
    bring build calculate call capture carry cause change characterize check choose cite claim classify
    collect combine come compare complete compose compress compute concern conclude conduct confirm
    connect consider consist construct contain continue contribute control converge convert cope correct
    correlate cover create cut deal decide decrease define deliver demonstrate depend deploy derive
    describe design detect determine develop devise differ discover discuss display distinguish divide
    drive drop eliminate emerge employ enable encode encourage enhance enjoy ensure enter establish
    estimate evaluate evolve examine exceed exhibit exist expect explain exploit explore express extend
    extract fail fall favor find fit fix focus follow formulate free gain gather generalize generate get
    give go grow guarantee guide handle happen harm have help highlight hold hurt identify ignore
    illustrate implement imply improve include incorporate increase indicate induce infer influence
    inform integrate interpret introduce investigate involve join judge keep know lack lead learn leave
    let leverage limit link locate look lose lower make manage map match matter mean measure merge
    minimize mitigate modify move need note observe obtain occur offer operate optimize order outperform
    overcome own perform permit play point possess precede predict prefer present preserve prevent
    process produce project promote propose prove provide publish put quantify raise range rank reach
    read receive recognize recommend recover reduce refer refine regard reject relate release rely
    remain remove render replace report represent reproduce require resist resolve respond rest result
    retain return reveal rise rule run satisfy save scale score search see seek select separate serve
    set share show simulate solve span speak specify speed spend stabilize start state stay stop
    strengthen struggle study suffer suggest suit summarize support surpass survey take target tell tend
    test tie track train transfer transform translate treat trigger try turn understand undertake unify
    use utilize validate vary verify view want weaken work write yield beat accept access accompany
    accomplish account accumulate adjust aid administer advance alleviate alternate amount anticipate
    approach approximate arise arrange arrive attack attempt attract augment automate await back ban
    blend boost borrow break broaden broadcast bypass cease challenge clarify close combat comment
    commit communicate comply comprise conceal confine conform confuse conserve constrain consume convey
    cooperate coordinate count couple crop damage debate decay decline decompose decouple defend degrade
    delay delete deny depict deteriorate deviate diagnose differentiate diminish disappear discard
    disclose discriminate distribute diverge double draw earn educate elicit embed emit encompass
    encounter encrypt engage enlarge enrich entail envision equip escape evolve exchange exclude execute
    exert expand expose facilitate fade favour feed fill filter finish flow fool forecast foresee
    formalize foster fulfill fuse govern grasp halt halve hamper hinder hide hint host hypothesize
    imitate impair impede impose induce inherit inhibit initiate inject inspect inspire install
    instantiate intend interact introduce invent invert invest invite isolate issue iterate jump justify
    label lag last launch leak lift link list listen load localize lock maintain mark mask maximize meet
    memorize mention migrate mimic miss mix monitor motivate multiply navigate neglect negotiate
    normalize note number occupy offset open oppose organize originate oscillate outline overlap
    override overlook owe pair participate pass pay penalize perceive persist persuade pick place plan
    plug poll pool portray pose postulate practise precede preclude prepare prescribe presume prioritize
    proceed prohibit prolong prompt protect prune publish pull purchase pursue push quantize query
    question quote randomize rate rearrange reason rebuild recall reconstruct record rectify refrain
    register regress regulate reinforce release remark remember repair repeat replicate request rescue
    resemble reside respect rest restore restrict resume retrieve reuse reverse review revise revisit
    reward roll sacrifice sample scan schedule secure segment send sense sharpen shift shorten shrink
    simplify skip slow smooth solicit sort spare spawn spread spring stack stem stimulate store strive
    structure submit substitute succeed suffice sum supply suppress surround survive suspect sustain
    switch synthesize tackle tailor teach term terminate testify throw tighten trace track trade
    transmit travel traverse trust tune twist undergo underlie undermine unlock update upgrade utter
    value vanish verify violate visit visualize vote wait walk warn waste watch weigh widen win
    withstand worsen wrap
    """.split()
)
# Words that any abstract may use of anything.
GENERIC = frozenset(
    """
    paper study work author method approach technique model system framework result research article
    propose present introduce show use achieve obtain perform provide way thing case set based well
    report find describe level time new novel important various certain overall able proposed make
    become give experiment
    """.split()
)
ADVERBIAL = frozenset(
    "apart far even still yet almost quite rather much well often always never together alone".split()
)
FUNCTION_WORDS = frozenset(
    """
    instead behind beneath beside below outside inside past thereby thereof therein wherein hereby
    whereby above across along among amid around as at beyond despite during except inside like near
    since throughout toward towards underneath unlike upon versus via within without would us let's
    there's none nothing no nor neither cannot another any anyone anything everyone everything someone
    something whose whereas whilst while although though unless until whether because therefore thus
    hence however moreover furthermore besides also both half one's ones others less fewer least many
    several lot lots plus minus per etc eg ie respectively already just only too very quite rather
    really ever former latter
    """.split()
)
NUMBER_WORDS = frozenset(
    """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred
    thousand million billion trillion hundreds thousands millions billions dozen dozens twice single
    double triple twofold threefold tenfold percent percentage point points times quarter quarters third
    thirds fold first second
    """.split()
)
CLAUSE_STARTS = frozenset("but while whereas although though".split())
JOINERS = frozenset("and or but while whereas although though which who whose where because nor than".split())
PARTICLES = frozenset(
    "up out off back away down over into onto through across to how whether by at as between".split()
)

# A negation reaches forward, over so many words with content, to the next mark or joining word.
NEGATORS: Mapping[str, int] = {
    **dict.fromkeys("not cannot never without no neither nor none nothing nobody".split(), 6),
    **dict.fromkeys("hardly rarely seldom barely scarcely".split(), 4),
    **dict.fromkeys("lack lacks lacking lacked".split(), 4),
    **dict.fromkeys("fail fails failed failing failure unable inability refuses refuse".split(), 4),
    **dict.fromkeys("eliminate eliminates eliminated eliminating avoid avoids avoided avoiding".split(), 4),
    **dict.fromkeys("remove removes removed removing prevent prevents prevented preventing".split(), 4),
    **dict.fromkeys(
        "prohibit prohibits prohibited prohibiting obviate obviates obviating preclude precludes".split(), 4
    ),
    **dict.fromkeys(
        "undermine undermines reject rejects rejected ignore ignores ignored neglect neglects".split(), 4
    ),
    **dict.fromkeys("replace replaces replaced replacing".split(), 3),
    "zero": 3,
    **dict.fromkeys("poorly badly".split(), 1),
}
# These negate only what follows "to" or "in": "fails to converge", but no "failed disk" or "failure case".
FAILING = frozenset("fail fails failed failing failure failures unable inability".split())
# "Keeps tissue from being amplified".
KEEPING = frozenset("keep keeps keeping kept stop stops stopping save saves protect protects spare".split())
# "No extra memory" denies that there is more of it, not that there is any.
ADDITIVE = frozenset("extra additional further".split())
# What a sentence with one of these says, it says of others.
OF_OTHERS = frozenset(
    "previous previously prior existing traditional traditionally conventional earlier".split()
)
# These negate what stands before them: "gradients are unavailable".
NEGATORS_BEHIND = frozenset(
    "unavailable missing absent unnecessary unneeded impossible avoided eliminated removed lacking"
    " needless".split()
)
DEGREES = frozenset(
    "significant substantial considerable major great notable additional extra explicit full real"
    " further much good strong large prior actual conventional existing traditional standard central".split()
)
# Before these a negator negates nothing.
NOT_NEGATING = frozenset("only just merely more less necessarily but fewer longer".split())
NEGATION_ENDS = frozenset("but while whereas although though which who because and yet however".split())
COMPARATIVES = frozenset(
    "more less fewer better worse higher lower larger smaller greater faster slower stronger weaker"
    " bigger easier harder longer shorter cheaper deeper wider".split()
)
HIGH = frozenset("all every most many majority always usually generally often typically both several".split())
LOW = frozenset("few none hardly rarely seldom never little minority".split())
ALL = frozenset(
    "all every each always any entire entirely whole fully completely universally everywhere".split()
)
SOME = frozenset(
    "only some sometimes partly partially certain several part parts portion subset fraction"
    " occasionally most mostly few".split()
)

# What a method is praised for: "less accurate than B" puts it behind B.
QUALITIES = frozenset(
    "accurate accuracy precise precision effective reliable robust capable successful performance"
    " quality".split()
)
# The object of these verbs is what the subject is better than; after a gain, so is what follows "over".
_OUTDO = frozenset("outperform surpass exceed beat outdo excel".split())
_GAINS = frozenset(
    "improve improvement gain advantage speedup increase superiority benefit advance reduction save".split()
)

_BRITISH: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), american)
    for pattern, american in (
        (r"is(e[sd]?|ing|ers?|ations?|able)$", r"iz\1"),
        (r"ys(e[sd]?|ing|ers?)$", r"yz\1"),
        (r"(?<=[^aeou])our(s|ed|ing|al|able|ite|hood)?$", r"or\1"),
        (r"^(cent|lit|met|fib|theat)re(s|d)?$", r"\1er\2"),
        (r"ll(ed|ing|er|ers)$", r"l\1"),
        (r"logue(s)?$", r"log\1"),
        (r"(?<=[fg])rey(s|ed)?$", r"ray\1"),
    )
)
_TOO_SHORT_TO_FOLD = 6
_IRREGULAR = {
    form: verb
    for verb, forms in {
        "find": "found",
        "build": "built",
        "show": "shown",
        "give": "gave given",
        "take": "took taken",
        "make": "made",
        "run": "ran",
        "seek": "sought",
        "draw": "drew drawn",
        "come": "came",
        "become": "became",
        "begin": "began begun",
        "choose": "chose chosen",
        "grow": "grew grown",
        "lead": "led",
        "lose": "lost",
        "meet": "met",
        "say": "said",
        "see": "saw seen",
        "send": "sent",
        "teach": "taught",
        "tell": "told",
        "understand": "understood",
        "write": "wrote written",
        "rise": "rose risen",
        "fall": "fell fallen",
        "hold": "held",
        "keep": "kept",
        "get": "got gotten",
        "bring": "brought",
        "win": "won",
        "speak": "spoke spoken",
        "know": "knew known",
        "drive": "drove driven",
        "fit": "fitted",
        "outdo": "outdid outdone",
        "shrink": "shrank shrunk",
        "throw": "threw thrown",
        "break": "broke broken",
        "hide": "hid hidden",
        "forget": "forgot forgotten",
        "buy": "bought",
        "spend": "spent",
        "overcome": "overcame",
        "arise": "arose arisen",
        # No verb, but of a degree: it has nothing to do with what is fair.
        "rather": "fairly",
    }.items()
    for form in forms.split()
}


def outdoing() -> frozenset[str]:
    """Return the stems of verbs whose object is what the subject is better than."""
    return stem_all(_OUTDO)


def gains() -> frozenset[str]:
    """Return the stems of words after which "over" leads to what is improved on."""
    return stem_all(_GAINS)


def spelling(word: str) -> str:
    """Return a word in lower case in American spelling."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < _TOO_SHORT_TO_FOLD:
        return word
    for pattern, american in _BRITISH:
        word = pattern.sub(american, word)
    return word


def related(left: str, right: str, *, loosely: bool = True) -> int:
    """Return 1 when two stems stand for one another, -1 when they mean the opposite, else 0.

    Not `loosely`: only by a row that has opposites, where the meanings are narrow.
    """
    ours, theirs = _senses().get(left, {}), _senses().get(right, {})
    same = opposite = False
    for row, side in ours.items():
        if row in theirs and (loosely or "|" in SENSES[row]):
            alike = theirs[row] == side and not (side and SENSES[row].startswith("!"))
            same, opposite = same or alike, opposite or theirs[row] != side
    return 1 if same else -1 if opposite else 0


def turns_round(left: str, right: str) -> bool:
    """Tell whether two opposite stems mean the same once what stands on their two sides is exchanged."""
    ours, theirs = _senses().get(left, {}), _senses().get(right, {})
    return any(SENSES[row].startswith("~") and theirs.get(row, side) != side for row, side in ours.items())


def direction(stem: str) -> int:
    """Return 1 for a stem that says that something rises or gets better, -1 for the contrary, else 0."""
    rows = [side for row, side in _senses().get(stem, {}).items() if row in (0, 1)]
    return 0 if len(set(rows)) != 1 else -1 if rows[0] else 1


def kin(stem: str) -> frozenset[str]:
    """Return the stems that stand for `stem` or mean its opposite."""
    return _kin(stem)


@lru_cache(maxsize=16384)
def _kin(stem: str) -> frozenset[str]:
    rows = _senses().get(stem, {})
    return frozenset(other for row in rows for other in _rows()[row])


@cache
def _rows() -> tuple[frozenset[str], ...]:
    rows: list[set[str]] = [set() for _ in SENSES]
    for stem, places in _senses().items():
        for row in places:
            rows[row].add(stem)
    return tuple(frozenset(row) for row in rows)


@cache
def _senses() -> Mapping[str, Mapping[int, int]]:
    """Return, for each stem, the rows it stands in and on which side."""
    found: dict[str, dict[int, int]] = {}
    for row, line in enumerate(SENSES):
        for side, half in enumerate(line.lstrip("~!").split("|")):
            for word in half.split():
                found.setdefault(_stem(word), {}).setdefault(row, side)
    return found


@cache
def stem_all(words: frozenset[str]) -> frozenset[str]:
    """Return the stems of a table of words."""
    return frozenset(_stem(word) for word in words)


def _stem(word: str) -> str:
    from rag.text.words import terms

    found = terms(spelling(word))
    return found[-1] if found else word


@cache
def phrases() -> Mapping[tuple[str, str], str]:
    """Return the set phrases: stem of the first word and the second word → what they mean together."""
    triples = (entry.split() for entry in _PHRASES.split(";"))
    return {(_stem(first), second): meaning for first, second, meaning in triples}
