"""Tables of words that say nothing of what papers are about, and of endings that show an adjective."""

from __future__ import annotations

# Words of every abstract: alone, or beside each other only, they make no heading.
EMPTY = frozenset(
    """
    ability abstract accuracy achievement addition advance advantage age agreement aim algorithm
    amount analyses analysis answer application approach approaches area article aspect assumption
    attention author average background baseline basis behavior behaviour benefit bound calculation
    capabilities capability case category challenge change characteristic choice class classes code
    combination comparison complexity component computation concept conclusion condition
    consideration construction context contrast contribution cost course criteria criterion data day
    decrease degree demand description design detail determination development difference difficulty
    direction discussion distribution domain effect effectiveness efficiency effort element end
    equation error estimation evaluation evidence example existence expense experiment explanation
    expression extension extent fact factor failure feature field figure finding form formula
    formulation framework function gain gap goal group hand hypothesis idea impact implementation
    implication importance improvement increase influence information input insight instance
    interest investigation kind knowledge lack length level limit limitation line literature loss
    majority manner means measure measurement mechanism method methodology mode model module month
    nature need note notion number objective observation one order output overview parameter part
    past patterns percentage performance period phase phenomenon pipeline place possibility practice
    precision presence problem procedure process processes project properties property proposal
    purpose quality quantity question rate ratio reason reference region relation relationship
    report representation requirement research researchers respect response result review role rule
    sample scale scenario scheme scope section sequence series set setting simulation size solution
    source space stage state statement step strategies strategy structure studies study subject
    success summary support survey system table task technique technologies technology term test
    theories theory time tool top topic total trend type understanding usage use user validity value
    variable variant variation variety version view volume way week weight work year
    """.split()
)

# Words that say as little, and cannot end a phrase either: adjectives, numbers, verbs, participles.
LOOSE = frozenset(
    """
    above accelerate accept account accumulate achieved achieving acm across affect ahead all allow
    alone along among amongst apart applied appropriate arise around assemble associated attain
    available back balance based behind below beneath best better beyond book bring broad calculated
    carried cause cent certain challenging chapter city classify clear cm collect common compact
    comparable compared compete competing completeness complex computed concerned conduct conference
    confirm consider considerable considered consist consistent containing contribute conventional
    convey copyright correct correspond corresponding county critical crucial db decompose degrade
    demonstrate demonstrating department depend dependent deploy derived described despite detected
    determined developed differ different difficult direct discussed distinct drop due east easy
    editor effective efficient eight elaborate elsevier elucidate emphasis emphasize empirical
    employed enabling encourage ensure entire especially essential estimated even exact examined
    exceed exhibit exist existing expand expected experimental exploit extensive extract face
    facilitate fail faithful farther few final finally first five flexible follow following force
    found four fraction frequently front fundamental furthermore general generalize generally given
    good govern great greater grow growing happen help high higher highest highlight hold however
    hundred hz ideal identify ieee imply important improved inc including increased increasing
    independent indicate indicated individual infer inform initial inner inside institute
    insufficient interact interesting intermediate introducing investigated involving isolation
    issue kg khz known laboratory large larger largest later leading left lesser lie limiting little
    long look low lower ltd made main mainly maintain major making many match matter maximize
    maximum mean measured mention mhz middle minimize minimum mm modern moreover motivate multiple
    national necessary needed new next nine normal north novel numerical observatory observe
    observed obtained obvious occur often open operate optimizes original other outer outperform
    outperforming outside overall overcome own pairs paper paradigm particular particularly past
    percent performed perturb physical plausible point poor popular pose positive possess possible
    potential powerful practical present presented preserve prevent previous primary principal prior
    proceedings promising propose proposed prove provided pursue range rapid rare reach reaches
    receive recent recognize recover reduced reflect reinforce reject related relative relevant
    reliable reported represent required requiring reserved respective resulting reveal rich right
    robust run same satisfactory satisfy save say scalable second secondary seen select selected
    serve seven several severe share short showing shown side significant similar simple single six
    small smaller smooth south special specific springer standard start state-of-the-art strong
    studied substantial successful suffer sufficient suggest suggested suitable superior surpass
    switch systematic tackle taken tell ten theoretical thesis think third three toward towards
    traditional transform treat treated trigger true trying turn two typical underlie underlying
    unique university unknown unseen update upper used useful using usual varied various vary
    varying vast verify verlag versus want warrant well-known west wide widespread wiley workshop
    worse worsen zero
    """.split()
)

# Words that end as adjectives do, and are nouns.
NOUNS_WITH_SUCH_ENDINGS = frozenset(
    """
    academic acoustic additive adjective adversary alternative animal apparatus approval archive
    arithmetic arrival arsenic binary boundary cable calendar campus canary capital category cellar
    census ceramic characteristic clinic commentary consensus corpus crystal derivative diagnostic
    dictionary differential directory elastic epidemic executive fabric factory focus fungus grammar
    graphic heuristic hippocampus history hive hospital incentive initiative integral interval
    inventory journal laboratory library locomotive logic lunar lupus magic manual material
    materials mechanic memory metal metric mineral motive music narrative nucleus objective
    observatory pandemic perspective plastic potential principal proposal radar removal renewal
    repository residual retrieval salary scholar secretary seminar signal solar star statistic
    stimulus sugar summary survival table territory theory thesaurus topic traffic trajectory trial
    variable vegetable virus vocabulary
    """.split()
)
ADJECTIVE_ENDINGS = (
    "al",
    "ic",
    "ive",
    "ous",
    "able",
    "ible",
    "ary",
    "ar",
    "less",
    "ful",
    "ical",
    "ular",
    "ish",
    "ory",
)
ADJECTIVES = frozenset(
    """
    acute auto-immune autoimmune benign binary blunt chronic coarse coherent cold conducting convex
    deep dense dry end-to-end fast female fine flat free frozen high-level high-speed hot human
    insoluble inviscid large-scale latent linear live long-term low-cost low-level lunar male mixed
    non-linear nonlinear offline one-dimensional online open parallel random raw real-time severe
    sharp short-term slender slow smart solar soluble sparse steady strong supersonic thick thin
    three-dimensional transient transverse turbulent two-dimensional uniform unsteady weak wet
    """.split()
)
# What a compound ends in that only stands before a noun: zeroth-order, end-to-end, multi-agent.
LAST_PARTS = frozenset(
    """
    agent art aware based body class cost dependent dimensional driven efficient end existing field
    fold form free friendly grained guided invariant layer level like line local loop making modal
    mode of optimal order oriented parametric party person point quality ranging rate scale shot
    side specific speed stage state step supervised task term time type up view wide world
    """.split()
)
