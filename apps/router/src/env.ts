import {
  changeSettings,
  integer,
  pathSettings,
  readEnv,
  replicaSettings,
  serviceSettings,
  url,
} from '#libs/service-kit';

export const eventSettings = {
  /** Events that one search scans; a page may be short and continue from there. */
  EVENT_SEARCH_SCAN: integer(10_000, 500, 1_000_000),
  /** Dead letters, the newest, that a list of problems counts. */
  PROBLEM_SCAN: integer(10_000, 100, 1_000_000),
  /** Days of dead letters that a list of problems goes back. */
  PROBLEM_DAYS: integer(14, 1, 90),
  /** Most events in one bulk replay or redrive. */
  EVENT_BATCH_MAX: integer(5_000, 1, 100_000),
  /** Live streams that one process serves, in all and per project. */
  EVENT_STREAMS: integer(200, 1, 10_000),
  EVENT_STREAMS_PER_PROJECT: integer(20, 1, 10_000),
  /** How often the journal is read while somebody listens. */
  EVENT_STREAM_POLL_MS: integer(500, 50, 60_000),
  /** Silence after which a comment is sent: shorter than the timeout of any proxy on the way. */
  EVENT_STREAM_HEARTBEAT_MS: integer(15_000, 100, 60_000),
  /** After this time a client has to reconnect, and prove again that it may listen. */
  EVENT_STREAM_MAX_MS: integer(600_000, 1_000, 86_400_000),
  /** Unsent bytes of earlier rounds at which a client is too slow, and is disconnected. */
  EVENT_STREAM_BUFFER_BYTES: integer(262_144, 1_024, 67_108_864),
  /** Counts are kept by the minute for this many days, and by the hour after that. */
  STATISTICS_MINUTE_DAYS: integer(7, 1, 90),
  STATISTICS_DAYS: integer(400, 1, 3_650),
  /** Versions of a workflow, of a trigger and of a channel that are kept. */
  RULE_VERSIONS: integer(200, 10, 10_000),
  /** Time between sweeps for erasures of contacts that are due. */
  ERASURE_SWEEP_MS: integer(1_000, 10, 60_000),
  /** How long after the first pass of an erasure the second one begins, which erases what was in flight. */
  ERASURE_SETTLE_MS: integer(600_000, 100, 86_400_000),
  /** Days that claims, messages and ended ticks of schedules are kept. */
  RETENTION_DAYS: integer(30, 1, 3_650),
};

export const scheduleSettings = {
  /** Schedules of one project. */
  SCHEDULES_PER_PROJECT: integer(200, 1, 10_000),
  /** How often due ticks are looked for, and whether the run that one waits for has ended. */
  SCHEDULE_EVERY_MS: integer(1_000, 50, 60_000),
  /** How long before they are due ticks are stored. */
  SCHEDULE_AHEAD_MS: integer(3_600_000, 60_000, 86_400_000),
  /** Most late ticks of one schedule that run after an outage, where it catches up with all. */
  SCHEDULE_CATCH_UP: integer(100, 1, 10_000),
  /** Most ticks of one schedule that wait for an earlier run; further ones are skipped. */
  SCHEDULE_QUEUED: integer(100, 1, 10_000),
};

export const waitSettings = {
  /** Runs of one project that wait for an event; a further one fails at its step. */
  EVENT_WAITS_PER_PROJECT: integer(500, 1, 10_000),
  /** How long before a wait is stored an event may have come, for a step that counts those too. */
  EVENT_WAIT_BEFORE_MS: integer(300_000, 0, 3_600_000),
  /** Bytes of what the condition of a wait reads of its run. */
  EVENT_WAIT_BYTES: integer(16_384, 1_024, 262_144),
  /** How often waits whose time is over are looked for, and runs whose wait has ended are woken. */
  EVENT_WAIT_EVERY_MS: integer(1_000, 50, 60_000),
};

const settings = {
  ...serviceSettings,
  ...pathSettings,
  ...changeSettings,
  ...replicaSettings,
  ...eventSettings,
  ...scheduleSettings,
  ...waitSettings,
  INGRESS_URL: url(),
  GATEWAY_URL: url(),
  ENGINE_URL: url(),
  /** Turn inputs up to this size travel inside the job, larger ones by reference. */
  INLINE_LIMIT_BYTES: integer(16_384, 0, 1_048_576),
  /** A turn that has not finished after this time is offered to the engine again. */
  TURN_LEASE_MS: integer(20_000, 1_000, 3_600_000),
  /**
   * Messages up to this size, with their targets, are compressed when they are stored; Postgres compresses larger ones. 0:
   * none is.
   */
  MESSAGE_PACK_BYTES: integer(65_536, 0, 1_048_576),
  /** Webhooks whose messages are stored in one transaction. */
  ROUTE_BATCH: integer(64, 1, 1_000),
  /** How long an App's own messages are recognised when its provider sends them back. */
  ECHO_WINDOW_MS: integer(600_000, 1_000, 86_400_000),
  /** Rounds of message and reply with one sender within a minute that pause the exchange. */
  LOOP_ROUNDS_PER_MINUTE: integer(20, 2, 60),
  /** Consecutive answered messages with the same text that pause the exchange. */
  LOOP_SAME_TEXTS: integer(8, 2, 60),
  /** Consecutive answered messages that follow the replies evenly and pause the exchange; twice as many of one form. */
  LOOP_EVEN_ROUNDS: integer(20, 4, 60),
  /** How long a paused exchange stays paused unless a person resumes it. */
  LOOP_COOLDOWN_MS: integer(600_000, 1_000, 86_400_000),
  /** Consecutive deliveries between Apps of this installation; a message that came by this many is kept. */
  LOOP_MAX_HOPS: integer(4, 1, 100),
  /** How long a pairing code is valid. */
  PAIRING_CODE_MS: integer(3_600_000, 60_000, 86_400_000),
  /** Longest time that a caller may wait for a run. */
  RUN_WAIT_MAX_S: integer(30, 0, 300),
};

/** Read once at boot. @throws Error with every setting that is wrong */
export const readSettings = (environment?: NodeJS.ProcessEnv) => readEnv(settings, environment);

export type RouterSettings = ReturnType<typeof readSettings>;

export const SETTINGS = Symbol('routerSettings');

/** Injection tokens of the clients of other services. */
export const ENGINE = Symbol('engine');
export const GATEWAY = Symbol('adapter-gateway');
export const INGRESS = Symbol('webhook-ingress');
