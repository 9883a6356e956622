import {
  changeSettings,
  integer,
  json,
  list,
  oneOf,
  optionalText,
  pathSettings,
  readEnv,
  replicaSettings,
  serviceSettings,
  url,
} from '#libs/service-kit';
import { checkedModel, type ModelPrice, readCurrency, readInputs, readPrices } from './path/model/model-settings.js';

const settings = {
  ...serviceSettings,
  ...pathSettings,
  ...changeSettings,
  ...replicaSettings,
  ROUTER_URL: url(),
  GATEWAY_URL: url(),
  VAULT_URL: url(),
  MCP_REGISTRY_URL: url(),
  PYTHON_RUNNER_URL: url('http://python-runner:8080'),
  ENGINE_URL: url(),
  MODEL_BASE_URL: optionalText,
  MODEL_NAME: optionalText,
  MODEL_API_KEY: optionalText,
  MODEL_FALLBACK_NAME: optionalText,
  /**
   * What models take, also those of projects' providers: `text`, or with it `image`, `pdf` or both. Without `image`, images
   * are named; without `pdf`, PDFs are read as text by `read_file`.
   */
  MODEL_INPUTS: readInputs,
  /** 1: models are asked for streams, so that people see an answer while it is written; 0: for whole answers. */
  MODEL_STREAMING: integer(1, 0, 1),
  MODEL_PRICES: (name: string, value: string | undefined): Record<string, ModelPrice> =>
    value ? json(readPrices)(name, value) : {},
  /** The currency of MODEL_PRICES, as ISO 4217 names it. */
  MODEL_CURRENCY: readCurrency,
  MODEL_TIMEOUT_MS: integer(60_000, 100, 600_000),
  MODEL_MAX_OUTPUT_TOKENS: integer(2_048, 16, 1_000_000),
  /** Bytes of an answer of a model; a larger one counts as one that cannot be read. */
  MODEL_ANSWER_BYTES: integer(8_388_608, 65_536, 134_217_728),
  /** How long each check of a provider's test may take, in ms. */
  MODEL_TEST_MS: integer(20_000, 100, 120_000),
  /** How long one call that transcribes a voice note may take, in ms. */
  TRANSCRIPTION_TIMEOUT_MS: integer(60_000, 100, 600_000),
  /** How often a voice note is tried in one attempt of its turn. */
  TRANSCRIPTION_ATTEMPTS: integer(2, 1, 10),
  /** Voice notes that are transcribed for one turn; 0: none. */
  TRANSCRIPTION_FILES: integer(5, 0, 20),
  /** Bytes of a voice note; a larger one is not transcribed. */
  TRANSCRIPTION_MAX_BYTES: integer(10_485_760, 1_024, 104_857_600),
  /** Length of a voice note, where its file says it; a longer one is not transcribed. */
  TRANSCRIPTION_MAX_SECONDS: integer(900, 1, 86_400),
  /** Characters that are kept of a transcript. */
  TRANSCRIPT_CHARS: integer(50_000, 100, 1_000_000),
  MODEL_BREAKER_FAILURES: integer(3, 1, 1_000),
  MODEL_TRIAL_MS: integer(15_000, 100, 600_000),
  GATEHOUSE_EGRESS_ALLOW: list,
  INLINE_LIMIT_BYTES: integer(16_384, 0, 1_048_576),
  TURN_LEASE_MS: integer(30_000, 1_000, 600_000),
  TURN_MAX_STEPS: integer(20, 1, 100),
  TURN_MAX_TOOL_CALLS: integer(20, 0, 100),
  TURN_PARALLEL_CALLS: integer(4, 1, 32),
  TURN_MAX_TOOLS: integer(100, 1, 1_000),
  TURN_FOUND_TOOLS: integer(20, 1, 500),
  TURN_MAX_SAME_READS: integer(3, 1, 100),
  TURN_WALL_CLOCK_MS: integer(300_000, 1_000, 3_600_000),
  TURN_MAX_TOKENS: integer(500_000, 0, 1_000_000_000),
  TURN_MAX_COST_MICROS: integer(0, 0, 1_000_000_000),
  DAY_MAX_TOKENS: integer(0, 0, 1_000_000_000),
  DAY_MAX_COST_MICROS: integer(0, 0, 1_000_000_000),
  CONTACT_DAY_MAX_TOKENS: integer(0, 0, 1_000_000_000),
  CONTACT_DAY_MAX_COST_MICROS: integer(0, 0, 1_000_000_000),
  MONTH_MAX_TOKENS: integer(0, 0, 1_000_000_000_000),
  MONTH_MAX_COST_MICROS: integer(0, 0, 1_000_000_000_000),
  CONTACT_MONTH_MAX_TOKENS: integer(0, 0, 1_000_000_000_000),
  CONTACT_MONTH_MAX_COST_MICROS: integer(0, 0, 1_000_000_000_000),
  /** Characters of an answer that are seen while it is written; a longer one is seen whole when it has ended. */
  TURN_PREVIEW_CHARS: integer(32_768, 0, 1_048_576),
  /** What turns write is stored so often, for readers at other replicas; that of a shorter turn is not. */
  TURN_PREVIEW_EVERY_MS: integer(250, 10, 60_000),
  /** How often a channel that shows that an answer is written is reminded of it while a turn runs, in ms. 0: never. */
  TURN_TYPING_EVERY_MS: integer(4_000, 0, 60_000),
  /**
   * What becomes of a message that an agent sends before its answer. `edit`: the answer takes its place where the channel
   * can edit, else one stays; `edit_only`: elsewhere there is none; `keep`: each stays; `off`: there is none.
   */
  TURN_INTERIM: oneOf('edit', 'edit_only', 'keep', 'off'),
  /** Such messages of one turn. */
  TURN_INTERIM_MESSAGES: integer(3, 0, 20),
  /** One that could not be sent in this time is not sent at all, in seconds. */
  TURN_INTERIM_TTL_SECONDS: integer(30, 1, 3_600),
  /** Streams of what turns write that one process serves, in all and per project. */
  TURN_STREAMS: integer(500, 1, 10_000),
  TURN_STREAMS_PER_PROJECT: integer(100, 1, 10_000),
  /** The shortest time between two frames of such a stream, and between two reads of what other replicas write. */
  TURN_STREAM_EVERY_MS: integer(50, 10, 60_000),
  /** Silence after which a comment is sent: shorter than the timeout of any proxy on the way. */
  EVENT_STREAM_HEARTBEAT_MS: integer(15_000, 100, 60_000),
  /** After this time a client has to reconnect, and prove again that it may listen. */
  EVENT_STREAM_MAX_MS: integer(600_000, 1_000, 86_400_000),
  /** Sessions that one request searches, for a text or for the last conversations of an agent. */
  SESSION_SEARCH_SCAN: integer(500, 10, 100_000),
  /** Turns, the newest of all projects, that the map of a project counts. */
  TURN_PATH_SCAN: integer(50_000, 1_000, 10_000_000),
  APPROVAL_WAIT_MS: integer(86_400_000, 1_000, 2_592_000_000),
  /** Characters of a call's arguments in the message that asks a contact for approval; it says what is missing. */
  APPROVAL_ASK_CHARS: integer(1_500, 100, 20_000),
  TURN_MAX_ATTEMPTS: integer(24, 1, 1_000),
  /** Attempts of a turn that may end with an answer of the model that cannot be read or broke off. Each is paid for. */
  TURN_MAX_UNREADABLE: integer(5, 1, 1_000),
  /**
   * Deaths of processes after which work that killed one while nothing else ran beside it is dead. The first one counts
   * all that the process worked on as suspects, which are then tried alone.
   */
  POISON_KILLS: integer(2, 2, 100),
  /** How long a suspect has its process for itself, after one death; four times as long after each further one. */
  POISON_TRIAL_MS: integer(2_000, 100, 600_000),
  TURN_WAIT_MS: integer(3_600_000, 1_000, 604_800_000),
  /** Turns that wait longer than this for something are listed under Needs attention. */
  TURN_ATTENTION_MS: integer(15_000, 0, 86_400_000),
  /** How many agents may wait for each other: a turn of the last one has no agents to ask. 0: none asks another. */
  AGENT_CALL_DEPTH: integer(3, 0, 10),
  /** Turns by which agents ask each other for one event; a few more where several are asked at once. */
  AGENT_CALLS_PER_EVENT: integer(100, 1, 100_000),
  /** A turn that waits for an agent that it asked looks again after this time, should nobody wake it, in ms. */
  AGENT_CALL_LOOK_MS: integer(10_000, 100, 600_000),
  /** Characters of a message to a published agent. */
  TASK_MESSAGE_CHARS: integer(100_000, 100, 1_000_000),
  /**
   * How long a caller of a published agent waits for its answer in one request, in ms; then it asks for the task. Less
   * than the portal's UPSTREAM_TIMEOUT_MS, which ends a silent request.
   */
  TASK_WAIT_MS: integer(45_000, 100, 55_000),
  /** Tasks that callers wait for or follow at one time: of one process, */
  TASK_FOLLOWERS: integer(500, 1, 10_000),
  /** and of one project. */
  TASK_FOLLOWERS_PER_PROJECT: integer(100, 1, 10_000),
  /** Push notifications that a caller may ask for, of one task. */
  TASK_PUSHES: integer(5, 1, 100),
  /** How often tasks are looked at whose callers are to be informed, in ms. */
  TASK_PUSH_EVERY_MS: integer(1_000, 50, 60_000),
  /** How long a receiver of such a notification has to answer, in ms. */
  TASK_PUSH_TIMEOUT_MS: integer(10_000, 100, 60_000),
  /** How often a process looks at the tasks that are followed there, all in one query, in ms. */
  TASK_LOOK_MS: integer(200, 20, 10_000),
  /** How long a call waits for what its server asks the user, in ms: from each time that it asks. */
  CALL_INPUT_WAIT_MS: integer(86_400_000, 1_000, 2_592_000_000),
  /** How often the server of one call may ask. */
  CALL_INPUT_ROUNDS: integer(5, 1, 100),
  /** How often a call that has the user's answers is sent while its server is away: after 5 s, and twice as long each time. */
  CALL_SEND_TRIES: integer(8, 1, 12),
  /** How long a call waits in all that its server has made a task of, in ms. */
  CALL_TASK_WAIT_MS: integer(3_600_000, 1_000, 2_592_000_000),
  /** A task is looked at as often as its server says, but not more often than this, in ms. */
  CALL_TASK_LOOK_MS: integer(1_000, 50, 600_000),
  /** A run that waits for an event looks again after this time, should nobody wake it, in ms. */
  EVENT_WAIT_LOOK_MS: integer(3_600_000, 1_000, 86_400_000),
  /** Facts that an agent may remember of one contact. */
  MEMORY_FACTS: integer(200, 0, 10_000),
  /** Of those, the newest that a turn of the contact is shown: so many, */
  MEMORY_SHOWN: integer(50, 0, 1_000),
  /** and at most so many bytes of text. */
  MEMORY_SHOWN_BYTES: integer(8_192, 0, 1_048_576),
  /** Versions of an agent that are kept; the one in force always is. */
  AGENT_VERSIONS: integer(200, 10, 10_000),
  /** Messages of one conversation in which a person tries an agent. */
  TRIAL_TURNS: integer(50, 1, 1_000),
  /** Cases of one comparison of two versions of an agent. */
  COMPARISON_CASES: integer(100, 1, 1_000),
  /** Cases of one comparison in flight at once: each is two turns, then one of the judge. */
  COMPARISON_AT_ONCE: integer(3, 1, 50),
  /** Comparisons of a project that have not ended; a further one is refused. */
  COMPARISONS_OPEN: integer(5, 1, 100),
  /** Sets of cases of an agent. */
  CASE_SETS: integer(100, 1, 10_000),
  /** How often cases whose turns run are looked at, in ms. */
  COMPARISON_EVERY_MS: integer(1_000, 50, 60_000),
  /** Characters of the summary of a session's older turns. */
  SESSION_SUMMARY_CHARS: integer(8_000, 500, 100_000),
  /** How long a limit that a model has refused a conversation by is remembered. */
  MODEL_WINDOW_KEPT_MS: integer(604_800_000, 60_000, 2_147_483_647),
  TURN_MAX_SHORTENINGS: integer(4, 0, 4),
  TURN_WINDOW: integer(20, 0, 200),
  TURN_WINDOW_CHARS: integer(4_000, 100, 100_000),
  TOOL_RESULT_BYTES: integer(32_768, 1_024, 1_048_576),
  TOOL_RESULT_KEPT_BYTES: integer(1_048_576, 1_024, 8_388_608),
  /** Bytes of images and PDFs that the model is shown in a turn, if it takes them; 0: none. */
  TURN_IMAGE_BYTES: integer(8_388_608, 0, 104_857_600),
  /** Files that an answer may have. */
  TURN_FILES: integer(5, 0, 10),
  /** Bytes of all files of an answer. The gateway's DELIVERY_ATTACHMENTS_MAX_BYTES holds too. */
  TURN_FILE_BYTES: integer(5_242_880, 0, 26_214_400),
  TOOL_CALLBACKS: integer(20, 0, 1_000),
  DOCUMENT_MAX_CHARS: integer(1_000_000, 1_000, 10_000_000),
  /** Texts in one request for embeddings. */
  EMBEDDING_BATCH: integer(64, 1, 2_048),
  /** How long a search waits for the embedding of its question, in ms; then it goes by words alone, and says so. */
  EMBEDDING_QUERY_MS: integer(2_000, 50, 60_000),
  /** Vectors that one search compares, those of the newest documents first. Older ones are found by words alone. */
  EMBEDDING_SCAN: integer(100_000, 100, 5_000_000),
  /** PDF and Office files of documents and attachments that a process reads at the same time. */
  DOCUMENT_READERS: integer(2, 1, 32),
  /** How long reading one of them may take. */
  DOCUMENT_READ_MS: integer(20_000, 500, 300_000),
  /** Memory that the process which reads one of them may take. */
  DOCUMENT_READ_MEMORY_MB: integer(256, 128, 8_192),
  /** Pages of a PDF, or slides; a longer one is refused. */
  DOCUMENT_READ_PAGES: integer(2_000, 1, 100_000),
  /** Bytes of the text parts of an Office file, unpacked. */
  DOCUMENT_READ_BYTES: integer(104_857_600, 1_048_576, 1_073_741_824),
  /** Bytes of a request. A source's document arrives as base64, which is a third larger than its bytes. */
  REQUEST_MAX_BYTES: integer(4_194_304, 1_048_576, 209_715_200),
  TOOL_TIMEOUT_MS: integer(20_000, 100, 60_000),
  AGENT_CACHE_MS: integer(5_000, 0, 60_000),
  ORDER_WAIT_MS: integer(2_000, 0, 60_000),
  PROJECT_CONCURRENT_TURNS: integer(0, 0, 100_000),
  SWEEP_EVERY_MS: integer(5_000, 100, 600_000),
  SWEEP_AFTER_MS: integer(15_000, 1_000, 3_600_000),
  RETENTION_DAYS: integer(30, 1, 3_650),
};

/** Read once at boot. @throws Error that lists every invalid setting */
export const readSettings = (environment?: NodeJS.ProcessEnv) => checkedModel(readEnv(settings, environment));

export type EngineSettings = ReturnType<typeof readSettings>;
