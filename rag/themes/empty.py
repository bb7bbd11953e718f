"""Tables of words that say nothing of what papers are about, and of endings that show an adjective."""

from __future__ import annotations

# Words of every abstract: alone, or beside each other only, they make no heading.
EMPTY = frozenset(
    """
    ability abstract accuracy achievement addition advance advances advantage advantages age agreement aim
    aims algorithm algorithms amount amounts analyses analysis answer answers application applications approach
    approaches area areas article aspect aspects assumption assumptions attention author authors average
    background baseline baselines basis behavior behaviour benefit benefits bound calculation calculations capabilities
    capability case cases category challenge challenges change changes characteristic characteristics choice
    class classes code combination comparison comparisons complexity component components computation
    computations concept concepts conclusion conclusions condition conditions consideration considerations construction
    context contrast contribution contributions cost costs course criteria criterion data day days decrease degree
    demand description design detail details determination development developments difference differences
    difficulty direction discussion distribution domain domains effect effectiveness effects efficiency
    effort element elements end equation equations error errors estimation evaluation evidence example examples
    existence expense experiment experiments explanation expression expressions extension extent fact factor
    factors failure feature features field fields figure finding findings form forms formula formulas formulation
    framework frameworks function functions gain gains gap gaps goal goals group groups groups hand
    hypothesis idea ideas impact implementation implementations implication implications importance improvement
    improvements increase increases influence information input inputs insight insights instance instances interest
    investigation investigations issue issues kind kinds knowledge lack length level levels limit limitation
    limitations limits line lines literature loss main majority manner means measure measurement measurements
    measures mechanism mechanisms method methodology methods mode model models modes module modules month months
    nature need needs note notes notion number numbers objective objectives observation observations one order
    output outputs overview paper papers parameter parameters part parts past patterns percent percentage performance period
    phase phases phenomenon pipeline place point points possibility potential practice precision presence
    problem problems procedure procedures process processes project property properties proposal purpose purposes
    quality quantity question questions range ranges rate rates ratio ratios reason reference region regions relation
    relations relationship relationships report reports representation requirement requirements research researchers respect
    response result results review reviews role rule rules sample samples scale scenario scenarios scheme
    schemes scope section sequence series set sets setting settings simulation simulations size solution
    solutions source sources space stage stages standard state states statement step steps strategies strategy
    structure structures study studies subject subjects success summary support survey surveys system systems
    table task tasks technique techniques technology technologies term terms test tests theories theory time
    times tool tools top topic topics total trend trends type types understanding usage use users user validity value values variable
    variables variant variants variation variations variety version view volume way ways week weeks
    weight work works year years
    appropriate available best better certain clear common comparable complex considerable consistent
    conventional correct corresponding crucial critical dependent different difficult direct easy effective
    efficient empirical entire essential exact existing experimental extensive few final flexible fundamental general
    good great growing high higher highest ideal important improved increasing independent individual initial
    interesting large larger largest little long low lower main major many maximum mean minimum modern multiple necessary
    new next normal novel numerical obvious open original other overall own particular physical poor popular positive possible
    potential powerful practical present previous primary principal prior promising proposed range rapid recent related relative
    relevant reliable respective robust same satisfactory scalable second secondary several severe short significant similar
    simple single small smaller special specific standard state-of-the-art strong substantial successful sufficient suitable
    superior systematic theoretical third traditional true typical unique unknown unseen useful usual various
    vast well-known wide widespread worse first two three four five six seven eight nine ten zero hundred percent cent
    often frequently mainly especially particularly generally finally furthermore moreover however
    accelerate accelerates accept affect affects allow arise arises attain balance bring brings cause causes challenging
    collect compete competing conduct confirm consist contribute contributes convey correspond demonstrate
    demonstrates demonstrating depend depends deploy differ elucidate emphasis emphasize encourage ensure ensures exceed exhibit
    exhibits exist exists expand exploit exploits face faces facilitate facilitates fail fails follow follows generalize
    govern grow happen help highlight highlights hold holds imply indicate indicates infer inform interact
    introducing lie limiting look maintain maintains matter maximize minimize motivate occur occurs operate optimizes outperform outperforms
    outperforming overcome perturb point points pose poses possess preserve preserves prevent prevents prove proves pursue reach
    reaches receive recover reflect reflects reinforce reject reveal reveals run runs satisfy save say serve share shares
    start suffer suffers suggest suggests surpass switch tackle tell think treat trigger trying turn underlie
    update updates vary verify want warrant worsen
    above ahead apart back behind below beneath beyond farther front inner inside left lower middle outer outside right side upper
    acm all rights copyright elsevier ieee inc ltd reserved rights springer verlag wiley
    chapter thesis paper book editor proceedings conference workshop special issue
    city county department institute laboratory national observatory university west east north south
    cm mm kg hz khz mhz db
    transform transforms observe observes paradigm paradigms propose proposes consider considers
    achieved applied associated based calculated carried compared computed concerned considered containing corresponding
    derived described detected determined developed discussed due employed estimated examined expected following
    found given including increased indicated investigated involving known leading made making measured needed observed
    obtained performed presented proposed provided reduced reported required resulting selected seen shown studied
    suggested taken treated used using varied varying
    """.split()
)

# Words that end as adjectives do, and are nouns.
NOUNS_WITH_SUCH_ENDINGS = frozenset(
    """
    signal retrieval proposal trial arrival removal survival interval crystal metal mineral animal hospital
    material materials capital approval renewal journal manual potential differential integral residual principal
    metric topic traffic music logic fabric ceramic plastic arithmetic epidemic pandemic clinic mechanic heuristic
    characteristic graphic acoustic elastic statistic diagnostic arsenic academic magic
    narrative perspective alternative additive derivative adjective objective initiative archive hive motive
    locomotive executive incentive
    virus fungus nucleus stimulus apparatus hippocampus thesaurus corpus campus census focus consensus lupus
    variable table cable vegetable
    radar seminar grammar sugar lunar calendar star scholar cellar solar boundary library binary vocabulary
    theory memory laboratory factory trajectory observatory history category inventory repository directory territory
    summary salary canary dictionary secretary adversary commentary
    """.split()
)
ADJECTIVE_ENDINGS = ("al", "ic", "ive", "ous", "able", "ible", "ary", "ar", "less", "ful", "ical", "ular", "ish", "ory")
ADJECTIVES = frozenset(
    """
    deep linear nonlinear non-linear convex sparse dense fine coarse human free open large-scale blunt thin thick
    low-level high-level high-speed low-cost long-term short-term real-time one-dimensional two-dimensional
    three-dimensional mixed live raw hot cold wet dry binary solar lunar acute chronic severe female male
    frozen turbulent benign transverse inviscid autoimmune auto-immune online offline soluble insoluble coherent
    transient slender conducting supersonic end-to-end
    weak strong smart fast slow steady unsteady flat sharp random uniform parallel latent
    """.split()
)
# What a compound ends in that only stands before a noun: zeroth-order, end-to-end, multi-agent.
LAST_PARTS = frozenset(
    """
    agent aware based body class cost dependent dimensional driven end field form free friendly fold grained guided
    layer level like line local loop making modal mode order oriented parametric party person point quality ranging
    rate scale shot side specific speed stage state step supervised task term time to-end type up view wide world
    existing of efficient optimal invariant art
    """.split()
)
