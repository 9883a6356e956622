import {
  changeSettings,
  integer,
  list,
  optionalText,
  optionalUrl,
  type Reader,
  readEnv,
  pathSettings,
  replicaSettings,
  serviceSettings,
  url,
} from '#libs/service-kit';

/** Comma-separated. */
const fileTypes: Reader<string[]> = (name, value) =>
  list(
    name,
    value ??
      'image/png,image/jpeg,image/gif,image/webp,application/pdf,text/plain,text/csv,text/markdown,application/json,' +
        'audio/mpeg,audio/mp4,audio/x-m4a,audio/ogg,audio/wav,audio/webm',
  );

const settings = {
  ...serviceSettings,
  ...pathSettings,
  ...changeSettings,
  ...replicaSettings,
  INGRESS_URL: url(),
  /** Where this service reaches PUBLIC_URL, if not at that address; samples and Verify send to it. */
  SAMPLE_URL: optionalUrl,
  VAULT_URL: url(),
  ENGINE_URL: url(),
  MCP_REGISTRY_URL: url(),
  /** The server of the shipped adapters: its `/` names them, and every project can install them. Absent: none is offered. */
  ADAPTERS_URL: optionalUrl,
  /** host:port or CIDR that outgoing calls may reach though it is not a public address. */
  GATEHOUSE_EGRESS_ALLOW: list,
  /** Signs the calls to adapters; comma-separated, the first one signs. */
  GATEHOUSE_ADAPTER_SECRET: optionalText,
  /** How long credentials that do not change are cached before the vault is asked again. */
  CREDENTIAL_CACHE_MS: integer(2_000, 0, 60_000),
  /** Seals the tokens of webhook URLs: base64 of 32 bytes; comma-separated, the first one seals, all open. */
  GATEHOUSE_WEBHOOK_KEY: sealingKeys,
  ADAPTER_TIMEOUT_MS: integer(10_000, 100, 120_000),
  /** Bytes of an adapter's answer. */
  ADAPTER_MAX_RESPONSE_BYTES: integer(4_194_304, 1_024, 104_857_600),
  /** Connections to one host: many adapters may be mounted on it, and one that hangs must not use them up. */
  ADAPTER_CONNECTIONS: integer(1_024, 1, 65_535),
  /** Calls of one adapter, or of one host by the built-in Webhook app, in flight in this process; further ones wait. */
  ADAPTER_CONCURRENCY: integer(50, 1, 10_000),
  /** Attempts at a call that another service waits for, the first one included. */
  ADAPTER_CALL_ATTEMPTS: integer(3, 1, 10),
  DELIVERY_TIMEOUT_MS: integer(10_000, 100, 120_000),
  /** Messages up to this size travel inside the job, larger ones by reference. */
  INLINE_LIMIT_BYTES: integer(16_384, 0, 1_048_576),
  /** Bytes of headers and query parameters that filters of triggers can read, together; the shortest are kept first. */
  FILTER_REQUEST_BYTES: integer(8_192, 0, 65_536),
  /** Levels of a message's metadata; a deeper one breaks the contract. The same as in the webhook-ingress. */
  MESSAGE_MAX_DEPTH: integer(100, 1, 500),
  /** A delivery is claimed again this long after its process last renewed its lease. */
  DELIVERY_LEASE_MS: integer(15_000, 1_000, 3_600_000),
  /**
   * How long the first attempt at a reply of the built-in Webhook app may take before the delivery gets a row; what
   * arrives sooner is stored once, with its result. 0: the row comes first.
   */
  DELIVERY_ROW_AFTER_MS: integer(200, 0, 500),
  /**
   * How long a delivery is tried again while all its attempts fail, with pauses that grow up to the longest one. Then it
   * is dead. Also for the built-in Webhook app.
   */
  DELIVERY_RETRY_FOR_MS: integer(86_400_000, 1_000, 2_592_000_000),
  /** The longest pause between two attempts of a delivery. */
  DELIVERY_RETRY_PAUSE_MAX_MS: integer(900_000, 100, 86_400_000),
  /** A delivery that is not done after this long is dead, also if it only waited for its adapter. */
  DELIVERY_MAX_AGE_MS: integer(259_200_000, 1_000, 2_592_000_000),
  /** Replies that wait longer than this to be sent again are listed under Needs attention. */
  DELIVERY_ATTENTION_MS: integer(60_000, 0, 86_400_000),
  /** Work that waits for a credential looks for it this often, should it not hear that it was connected or linked. */
  CREDENTIAL_WAIT_MS: integer(300_000, 100, 3_600_000),
  /** Inbound messages that adapters verify and parse at a time, in this process. */
  PARSES_IN_FLIGHT: integer(5_000, 1, 100_000),
  /** A parse without an outcome after this long is attempted again: longer than two calls of an adapter. */
  PARSE_LEASE_MS: integer(30_000, 1_000, 3_600_000),
  /** A receipt that its adapter could not take for this long is dead, however often it was rescheduled. */
  PARSE_MAX_AGE_MS: integer(259_200_000, 1_000, 2_592_000_000),
  /**
   * Deaths of processes after which work that killed one while nothing else ran beside it is dead. The first one counts
   * all that the process worked on as suspects, which are then tried alone.
   */
  POISON_KILLS: integer(2, 2, 100),
  /** How long a suspect has its process for itself, after one death; four times as long after each further one. */
  POISON_TRIAL_MS: integer(2_000, 100, 600_000),
  /** Deliveries in flight in this process. */
  DELIVERIES_IN_FLIGHT: integer(5_000, 1, 100_000),
  /** Of those, how many may be the surplus of one project. */
  SURPLUS_DELIVERIES_IN_FLIGHT: integer(64, 1, 100_000),
  /** Bytes of all files of one message; a manifest's message.max_attachment_bytes may say less. */
  DELIVERY_ATTACHMENTS_MAX_BYTES: integer(10_485_760, 0, 26_214_400),
  /** Apps whose provider one process asks for events at a time. */
  HELD_CONNECTIONS: integer(500, 0, 10_000),
  /** How often connections are looked for that nobody holds. */
  CONNECTION_SWEEP_MS: integer(1_000, 50, 60_000),
  /** After this a process that holds a connection, and cannot be seen to have died, has lost it. */
  CONNECTION_LEASE_MS: integer(30_000, 1_000, 600_000),
  /** How long a provider without events may take to answer. */
  CONNECTION_WAIT_S: integer(25, 0, 50),
  /** Needs attention: a provider that has not answered for this long. */
  CONNECTION_ATTENTION_MS: integer(60_000, 0, 86_400_000),
  /** The least time between two questions to a provider that had no events. */
  CONNECTION_PAUSE_MS: integer(250, 10, 60_000),
  /** Characters that a visitor of a web chat may write at once. */
  WEB_CHAT_MESSAGE_CHARS: integer(8_000, 1, 100_000),
  /** Messages per minute of one visitor of a web chat. */
  WEB_CHAT_RATE_PER_VISITOR: integer(20, 1, 10_000),
  /** Messages to web chats per minute from one address, in each replica. */
  WEB_CHAT_RATE_PER_ADDRESS: integer(60, 1, 1_000_000),
  /** Pages with a web chat that are open in one replica. */
  WEB_CHAT_STREAMS: integer(2_000, 1, 100_000),
  /** Of those, how many may be of one App. */
  WEB_CHAT_STREAMS_PER_APP: integer(1_000, 1, 100_000),
  /** Of those, how many may be of one address: an IPv4 address, or a /64 of IPv6. */
  WEB_CHAT_STREAMS_PER_ADDRESS: integer(20, 1, 100_000),
  /** After this a page connects again and proves once more who its visitor is. */
  WEB_CHAT_STREAM_MAX_MS: integer(600_000, 1_000, 86_400_000),
  /** How often an open page is shown that its stream lives. */
  WEB_CHAT_HEARTBEAT_MS: integer(15_000, 100, 60_000),
  /** How late a page is shown what another replica has stored. */
  WEB_CHAT_READ_MS: integer(500, 50, 60_000),
  /** Bytes of one file that a visitor of a web chat sends. */
  WEB_CHAT_FILE_BYTES: integer(5_242_880, 1, 20_971_520),
  /** Files of one message of a visitor; 0: visitors send none. */
  WEB_CHAT_FILES_PER_MESSAGE: integer(5, 0, 20),
  /** Media types of the files that visitors send. */
  WEB_CHAT_FILE_TYPES: fileTypes,
  /** Files per hour of one visitor. */
  WEB_CHAT_FILES_PER_HOUR: integer(30, 1, 10_000),
  /** Bytes per day of the files that visitors send to one App. */
  WEB_CHAT_FILE_BYTES_PER_DAY: integer(1_073_741_824, 1, 1_099_511_627_776),
  /** Files of web chats that one address reads per minute, in each replica. */
  WEB_CHAT_FILE_READS_PER_ADDRESS: integer(300, 1, 1_000_000),
  /** Days that messages of web chats are kept for their visitors. */
  WEB_CHAT_DAYS: integer(90, 1, 3_650),
  /** How many of one conversation are kept, the newest. */
  WEB_CHAT_MESSAGES_KEPT: integer(1_000, 100, 100_000),
  /** A visitor of a web chat without an open page for this long is away: answers also go by mail, where that is set up. */
  WEB_CHAT_AWAY_AFTER_MS: integer(120_000, 500, 86_400_000),
  /** Time between sweeps for mails to visitors who are away, and for those whose delivery has ended. */
  WEB_CHAT_MAIL_SWEEP_MS: integer(1_000, 10, 60_000),
  /** Answers that web chats of an organization send to one mail address in a day. */
  WEB_CHAT_MAILS_PER_ADDRESS: integer(20, 1, 10_000),
  /** Mails with a code that go to one address in a day, before anything else does. */
  WEB_CHAT_CODES_PER_ADDRESS: integer(3, 1, 100),
  /** Of those, how many one network may ask for in a day: an IPv4 address, or a /64 of IPv6. */
  WEB_CHAT_CODES_PER_NETWORK: integer(10, 1, 10_000),
  /** Of those, how many visitors of one App may ask for in a day. */
  WEB_CHAT_CODES_PER_APP: integer(500, 1, 1_000_000),
  /** How long a code is taken. */
  WEB_CHAT_CODE_MS: integer(900_000, 60_000, 86_400_000),
  /** How long the numbers of a message's choices can be answered on a channel without buttons. */
  CHOICE_WAIT_MS: integer(604_800_000, 60_000, 2_592_000_000),
  /** Parts of one message to a channel that bounds their length; the rest is cut. */
  DELIVERY_MAX_PARTS: integer(20, 1, 1_000),
  /** Messages per minute to one address of an App whose manifest sets no rate; 0 sets no limit. */
  ADDRESS_RATE_PER_MINUTE: integer(0, 0, 1_000_000),
  HEALTH_POLL_MS: integer(15_000, 100, 3_600_000),
  /** Longest time between polls of an adapter that is not ready. The first wait is a second, then it doubles. */
  HEALTH_POLL_MAX_MS: integer(120_000, 100, 86_400_000),
  HEALTH_TIMEOUT_MS: integer(5_000, 100, 60_000),
  /** Days that deliveries which have ended are kept. */
  RETENTION_DAYS: integer(30, 1, 3_650),
  /** Days that an adapter's health is kept, by the minute. */
  HEALTH_DAYS: integer(14, 1, 400),
  /** Conformance runs at one time in this process; further ones are refused. */
  CONFORMANCE_RUNS: integer(2, 1, 50),
  /** Longest time of one run; and of one answer. */
  CONFORMANCE_MAX_MS: integer(300_000, 1_000, 3_600_000),
  CONFORMANCE_TIMEOUT_MS: integer(20_000, 100, 120_000),
  /** How long a webhook token still works after it was rotated, unless the rotation says otherwise. */
  TOKEN_GRACE_MS: integer(86_400_000, 0, 2_592_000_000),
  /** Time between sweeps for webhooks that are due for renewal; and the longest before a failed renewal is retried. */
  RENEWAL_SWEEP_MS: integer(30_000, 10, 3_600_000),
  RENEWAL_RETRY_MS: integer(600_000, 100, 86_400_000),
  /** Time between sweeps for providers that are to be asked for what they could not deliver. */
  MISSED_SWEEP_MS: integer(2_000, 10, 3_600_000),
  /** How long after an outage a provider is asked: what it tried last has failed by then. */
  MISSED_ASK_AFTER_MS: integer(15_000, 0, 3_600_000),
  /** How far back a provider is asked; GitHub keeps three days. */
  MISSED_MAX_AGE_MS: integer(259_200_000, 60_000, 2_592_000_000),
  /** Answers of a provider, each with a part of what it could not deliver, until it is given up. */
  MISSED_MAX_PAGES: integer(200, 1, 100_000),
  /** Bytes of one document; a manifest's sources.max_file_bytes may say less. */
  SOURCE_MAX_FILE_BYTES: integer(10_485_760, 1_024, 104_857_600),
  SOURCE_FETCH_TIMEOUT_MS: integer(30_000, 100, 600_000),
  /** Documents of one source that are fetched at the same time. */
  SOURCE_FETCH_CONCURRENCY: integer(4, 1, 64),
  /**
   * A larger document is kept here, but agents cannot read it; as base64 it has to fit the engine's REQUEST_MAX_BYTES.
   */
  KNOWLEDGE_MAX_FILE_BYTES: integer(2_097_152, 1_024, 104_857_600),
  /** Documents that are given to the engine at the same time. */
  KNOWLEDGE_FEED_CONCURRENCY: integer(8, 1, 64),
  /** Pages that one run lists. Then another run goes on from its cursor, as long as changes come. */
  SYNC_MAX_PAGES: integer(10_000, 1, 1_000_000),
  /** A run is claimed again this long after its lease was last renewed. */
  SYNC_LEASE_MS: integer(60_000, 1_000, 3_600_000),
  /** A run yields to others after this long. */
  SYNC_SLICE_MS: integer(15_000, 10, 600_000),
  /** Failures in a row, without any progress, that end a run; and tries of one document in a run. */
  SYNC_ATTEMPTS: integer(8, 1, 100),
  DOCUMENT_ATTEMPTS: integer(3, 1, 100),
  /** Time between sweeps for due sources and abandoned runs. */
  SYNC_SWEEP_MS: integer(2_000, 10, 600_000),
};

/** Read once at boot. @throws Error with every setting that is wrong */
export const readSettings = (environment?: NodeJS.ProcessEnv) => readEnv(settings, environment);

export type GatewaySettings = ReturnType<typeof readSettings>;

/** Reads keys: base64 of 32 bytes, comma-separated. @throws Error without the value */
export function sealingKeys(name: string, value: string | undefined): Buffer[] {
  const texts = (value ?? '')
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');
  const keys = texts.map((text) => Buffer.from(text, 'base64'));
  if (keys.length === 0 || keys.some((key) => key.length !== 32)) {
    throw new Error(`${name} must be 32 random bytes in base64 (or several, comma-separated: the first one seals)`);
  }
  return keys;
}

export const SETTINGS = Symbol('gatewaySettings');

/** Injection tokens of the clients of other services, and of the guarded egress to the outside. */
export const ENGINE = Symbol('engine');
export const INGRESS = Symbol('webhook-ingress');
export const REGISTRY = Symbol('mcp-registry');
export const VAULT = Symbol('credential-vault');
export const EGRESS = Symbol('egress');
