"""Tables of English words that tell names and noun phrases of abstracts from the words around them."""

from __future__ import annotations

# Abbreviations every reader of the field knows: never what a paper introduces.
COMMON = frozenset(
    """
    ac acm ai ann anns anova api apis arima asic asr auc bci bert bleu bp bptt cifar cmos cnn cnns coco
    cot covid covid-19 cpu cpus crm ct da dc de dft dl dna dnn dnns dns dp dpo dqn ea eas ebm ecg eeg em
    erp es eu f1 fl fmri fpga fsm ga gan gans gas gb gcn gcns gda gdp glm glms gmm gnn gnns gp gps gpt
    gpu gpus grpo gru hci hiv hmm hmms hpc html ica ict ieee iid ilp imagenet iot ip ir it json kg kgs
    kl knn lan llm llms lm lms lp lstm lstms lte lvlm mae manet map mas mcmc mdp mems mimo ml mllm mllms
    mlp mlps mnist moe moes mri mrna mse mt nas ndcg nerf nih nist nlp nmr nmt np nphard ocr ode odes
    ofdm ols ood owl pca pde pdes pdf pid plm pomdp ppo pso qa qp rag rdf rf rfid rl rlhf rmse rna rnn
    rnns roc rouge rq sars sat sde sdes sem sft sgd sme smes smt snr sota sql ssl svd svm svms tcp tem
    tl tpu tts uav uavs uda udp ui uk un url us usa uv ux vae vaes vla vlm vlms vlsi vqa who wifi wlan
    wsn wsns xml xrd zo
    """.split()
)

# Those of them that are data, which results are given on.
KNOWN_DATA = frozenset("cifar coco imagenet mnist".split())

# Words with a capital that are not the name of a system.
NOT_NAMES = frozenset(
    """
    a abstract african although american an at based bayes bayesian boolean both chinese current 
    end-to-end english european existing experiments facebook finally first five for four fourier french
    furthermore gaussian german google hebbian here hilbert however in internet introduction it its
    keywords many markov monte moreover multi-scale newtonian on one our real-time recent results
    second self-supervised several state-of-the-art such that the there these third this those three to
    twitter two unlike using we web when while wikipedia
    """.split()
)

# Words that may stand before a phrase and are left out of it.
LEADING = frozenset(
    """
    a about also an and another any approximately basic both brief by certain complete comprehensive
    current detailed different each effective efficient existing extensive first five following for four
    full further general generic good her here his how important in in-depth it its key main major many
    modified more most new novel number numerous of on one only or other our particular possible
    practical preliminary proposed recent same several simple some special state-of-the-art such
    systematic that the their then there these they this thorough those three to two unified using
    various we what when whether why yet
    """.split()
)

# Nouns that say what kind of thing a paper offers, not which.
GENERIC = frozenset(
    """
    algorithm algorithms analysis application applications approach approaches architecture capabilities
    case construction evidence example examples experiment experiments extension framework frameworks
    implementation implementations issues measures mechanism method methods model models overview paper
    paradigm performance pipeline problem problems procedure process project results scheme set solution
    solutions sources strategy studies study survey system systems task technique techniques theory tool
    tools tutorial variant version way work
    """.split()
)

# Prepositions and conjunctions that join the parts of a noun phrase.
LINKS = frozenset(
    """
    against and as at between for from in of on or over through to under via with within
    """.split()
)

# Words that end a noun phrase: clause openers and finite verbs of abstracts.
ENDERS = frozenset(
    """
    able according achieve achieves admit admits after aim aimed aiming aims allow allows along also
    although are as attempts based be because become becomes been before being both but by called can
    capable captures characterizes combine combines commonly concerning consisting consists contain
    contains continues could derived described designed developed did do does dubbed due during e.g
    either emerge emerges employ employs enable enables get gets give given gives had has have helps
    here how however i.e if improve improves including integrate integrates introduced is it known lead
    leads learns leverage leverages made make makes may might must named need needs neither not obtained
    often only or play plays plays, presented proposed provide provides rather recently reduce reduces
    regarding relies rely remain remains require requires seek seeks serves shall should show shows
    since so strives such suitable tend tends termed than that then there therefore these they this
    those though through thus together toward towards trained tries typically upon use used uses using
    usually via was we well were what when where whereas whether which while who whose why will without
    would yield yields
    """.split()
)

# Verbs that a noun phrase cannot begin with.
VERBISH = frozenset(
    """
    achieve actuate add adding address addresses analyse analyze apply approximate assess assigning
    avoid become build capture categorize combine compare compute consider construct control create
    define derive derives describe design designing detect detects determine determines develop discard
    discards discuss discusses distinguish enable enhance estimate estimates evaluate examine explain
    explore extend find finds gain gather generate generates guiding handle identify implement improve
    improves incorporate increase interpolating introduce investigate investigates keep learn leveraging
    manage measure obtain obtains offer offers optimise optimize outline perform performs predict
    predicts present presents produce produces propose proposes provide recommend reduce reduces refine
    release scaling select show simulate solve solves study support supports take takes test train
    transfer understand understanding utilize validate verify
    """.split()
)

# Those of them that are as often nouns: a phrase may end with them.
NOUNS_TOO = frozenset("control design estimate estimates increase measure study support test".split())
