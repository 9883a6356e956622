// What the code does not say about a setting: its meaning if no comment gives it, a link, the default of a custom
// reader.

/**
 * A text for every service that reads it, or one for each by name (`*`: all others).
 * @typedef {string | Record<string, string>} Meaning
 */

/** @type {Record<string, {is?: Meaning, default?: string}>} */
export const notes = {
  MOVE_ACCEPTS: { default: 'none' },
  // Every service.
  HTTP_HEADERS_TIMEOUT_MS: {
    is: 'Time from the connection to the last header of a request; after that 408, and the connection is closed.',
  },
  HTTP_REQUEST_TIMEOUT_MS: { is: 'Time from there to the last byte of the body.' },
  HTTP_SILENCE_TIMEOUT_MS: {
    is: 'A connection without traffic for this long is closed. Must be longer than any call may take.',
  },
  HTTP_HALF_CLOSED_MS: {
    is: 'Time that a client which has ended its side waits for the next piece of its answer. After it the request ends, as for one that has gone.',
  },
  HTTP_LONG_ANSWER_BYTES_PER_SECOND: {
    is: 'What one address is sent of answers over 64 KiB, a quarter of it at once. The system takes megabytes for a client that reads nothing.',
  },
  HTTP_MAX_CONNECTIONS: {
    is: 'Connections of one process at a time. For a further one the slowest without a request is closed; else it is 503.',
  },
  OPERATIONS_PORT: {
    is: {
      '*': 'Port for metrics and states, on the same `HOST`; 0: any. Clients of `PORT` must not reach it.',
      adapters: '',
    },
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: { is: '`/v1/traces` and `/v1/metrics` are added. [Traces](../operations.md#traces).' },
  SERVICE_TOKEN_MAX_AGE_SECONDS: {
    is: 'Service tokens that were issued longer ago are refused, whatever their `exp` says. Clocks may differ by 10 s.',
  },
  SERVICE_TOKEN_REMEMBERED: { is: 'Ids of single-use tokens that one process remembers; further tokens are refused.' },
  PORT: { is: 'The port on which it listens.' },
  HOST: { is: 'The address on which it listens.' },
  DATABASE_URL: {
    is: 'Postgres 15 or newer, with [a role of its own](../security.md#postgres), directly or through [a pooler](../operations.md#a-pooler). TLS: `?sslmode=verify-full`, with `&sslrootcert=/path`.',
  },
  REDIS_URL: {
    is: 'Redis 6.2 or newer, `noeviction`, with [a user of its own](../security.md#redis). [Cluster, Sentinel, TLS](../operations.md#redis).',
  },
  DATABASE_POOL: { is: '[Connections](../operations.md#connections) of one process; 3 in `k8s/base`.' },
  QUEUE_CONCURRENCY: {
    is: 'Jobs of one queue at a time in one process; four times as many may additionally wait for other work.',
  },
  QUEUE_SHARDS: {
    is: "Shards of each queue of a message's path, by a hash of the project, so that one queue may use several nodes of a Redis Cluster. [How to change it](../scale.md#shards-of-a-queue).",
  },
  HAND_OVER_CONCURRENCY: {
    is: 'How many of them may be [handed over without Redis](../architecture.md#jobs) by services of the same process; 0: none.',
  },
  GATEHOUSE_SERVICE_KEY: { is: 'Ed25519 private key as JWK, or `{"keys": [...]}`: the first signs, all verify.' },
  WEB_CHAT_FILE_TYPES: {
    default: 'PNG, JPEG, GIF, WebP, PDF, plain text, CSV, Markdown, JSON; MP3, MP4, Ogg, WAV and WebM sound',
  },
  PUBLIC_URL: { is: 'The address at which people and providers reach the installation.' },
  ID_FORM: {
    is: '`long`: that of earlier releases, while processes of those [run beside](../../UPGRADING.md#ids-of-22-digits).',
  },
  LOG_LEVEL: { is: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.' },
  GATEHOUSE_SERVICE_ISSUERS: { is: { 'python-runner': 'The public keys of the services; it has no key of its own.' } },
  KUBERNETES_JWKS_URL: { is: 'The key set of that issuer. [Who may ask](../vault.md#who-may-ask).' },
  CHANGE_CACHE_MS: { is: 'They are rules, agents, Apps and sealed credentials.' },

  // Other services' addresses.
  INGRESS_URL: { is: 'The webhook-ingress.' },
  GATEWAY_URL: { is: 'The adapter-gateway.' },
  VAULT_URL: { is: 'The credential-vault.' },
  ROUTER_URL: { is: 'The router.' },
  ENGINE_URL: { is: 'The engine.' },
  MCP_REGISTRY_URL: { is: 'The mcp-registry.' },
  PYTHON_RUNNER_URL: { is: 'The python-runner.' },

  // webhook-ingress
  TRUSTED_PROXIES: {
    is: {
      'webhook-ingress': 'The portal is trusted by its token.',
      portal: 'Without it, all clients behind a proxy count as one address.',
    },
  },
  HANDSHAKE_MAX_BODY_BYTES: { is: '[Handshakes](../developer-portal.md#handshakes).' },
  RECEIPT_LEASE_MS: { is: 'A receipt whose write has not started after half of it is refused with 503.' },
  MAX_WAITING_JOBS: { is: '[Why](../decisions/0010-receipts-wait-in-postgres.md).' },
  PROJECT_ADVANCE: { is: '[Why](../decisions/0126-projects-have-a-share.md).' },
  PROJECT_MESSAGES_PER_SECOND: { is: '[Limits of a project](../operations.md#limits-of-a-project).' },
  RETENTION_DAYS: {
    is: {
      'webhook-ingress': 'Refusals, dead letters and batches too. [Retention](../events.md#retention).',
      engine: 'Days that turns, silent sessions and request keys are kept. [Retention](../events.md#retention).',
      router: '[Retention](../events.md#retention).',
      'adapter-gateway': '[Retention](../events.md#retention).',
    },
  },

  // adapter-gateway
  GATEHOUSE_WEBHOOK_KEY: { default: 'needed', is: '[Rotate it](../guides/rotate-keys.md#webhook-urls).' },
  GATEHOUSE_ADAPTER_SECRET: {
    is: {
      'adapter-gateway': '[Rotate it](../guides/rotate-keys.md#calls-to-adapters).',
      adapters: 'One, or two during a rotation.',
    },
  },
  SAMPLE_URL: { default: '`PUBLIC_URL`' },
  ADAPTER_TIMEOUT_MS: { is: 'Time limit of one call of an adapter.' },
  DELIVERY_TIMEOUT_MS: { is: 'Time limit of one delivery of the built-in Webhook app.' },
  HEALTH_POLL_MS: { is: "How often an adapter's `/health` is polled." },
  HEALTH_TIMEOUT_MS: { is: 'Time limit of one such poll.' },
  CONFORMANCE_TIMEOUT_MS: { is: 'Time limit of one answer in a conformance run.' },
  RENEWAL_RETRY_MS: { is: 'When a failed [renewal](../developer-portal.md#webhooks-that-end) is retried.' },
  SOURCE_FETCH_TIMEOUT_MS: { is: 'Time limit of fetching one document.' },
  DOCUMENT_ATTEMPTS: { is: 'Tries of one document in a run.' },

  // router
  EVENT_STREAMS_PER_PROJECT: { is: 'Live streams of one project in one process.' },
  TURN_STREAMS_PER_PROJECT: { is: 'Streams of what turns write, of one project in one process.' },
  STATISTICS_DAYS: { is: 'Days for which counts are kept.' },

  // engine
  GATEHOUSE_EGRESS_ALLOW: {
    is: {
      engine: 'host:port or CIDR that tools may reach although it is not a public address.',
      adapters: '`host`, `host:port`, address or CIDR.',
    },
  },
  MODEL_BASE_URL: { is: 'An OpenAI-compatible API; without it the rehearsal model answers.' },
  MODEL_NAME: { is: 'The default model; required with an endpoint.' },
  MODEL_API_KEY: { is: "The API's key." },
  MODEL_FALLBACK_NAME: { is: 'The model that is called when the first one does not answer.' },
  MODEL_INPUTS: { default: 'text' },
  MODEL_PRICES: { default: 'none', is: 'JSON of prices by model ([limits](../agents.md#limits)).' },
  MODEL_CURRENCY: { default: 'USD', is: 'The currency of `MODEL_PRICES`, as ISO 4217 names it, such as `EUR`.' },
  MODEL_TIMEOUT_MS: { is: 'Time limit of a whole answer of the model, or of each silence within a stream.' },
  MODEL_MAX_OUTPUT_TOKENS: { is: 'Tokens of one answer of the model.' },
  MODEL_BREAKER_FAILURES: { is: 'After this many failures in a row, only one call at a time tries the model.' },
  MODEL_TRIAL_MS: { is: 'The longest time between such trials.' },
  INLINE_LIMIT_BYTES: { is: { engine: 'Replies up to this size travel inside the job, larger ones by reference.' } },
  TURN_LEASE_MS: {
    is: {
      engine: 'The lease of a running turn; void [with its process](../decisions/0105-a-connection-proves-life.md).',
    },
  },
  TURN_MAX_STEPS: { is: 'Model calls of one turn.' },
  TURN_MAX_TOOL_CALLS: { is: 'Tool calls of one turn.' },
  TURN_PARALLEL_CALLS: { is: 'Read-only calls at the same time.' },
  TURN_MAX_TOOLS: { is: 'Tools that a model gets at once.' },
  TURN_FOUND_TOOLS: { is: 'How many of them a search may add.' },
  TURN_MAX_SAME_READS: { is: 'How often a read-only call may give the same result in a turn.' },
  TURN_WALL_CLOCK_MS: { is: 'The longest duration of a turn.' },
  TURN_MAX_TOKENS: { is: 'Tokens of one turn; 0: no limit.' },
  TURN_MAX_COST_MICROS: { is: 'Cost of one turn in millionths of the currency of `MODEL_PRICES`; 0: no limit.' },
  DAY_MAX_TOKENS: { is: 'Tokens of an agent per day (UTC); 0: no limit.' },
  DAY_MAX_COST_MICROS: { is: 'Cost of an agent per day; 0: no limit.' },
  CONTACT_DAY_MAX_TOKENS: { is: 'Tokens of one contact with an agent per day; 0: no limit.' },
  CONTACT_DAY_MAX_COST_MICROS: { is: 'Cost of one contact with an agent per day; 0: no limit.' },
  MONTH_MAX_TOKENS: { is: 'Tokens of an agent per month (UTC); 0: no limit.' },
  MONTH_MAX_COST_MICROS: { is: 'Cost of an agent per month; 0: no limit.' },
  CONTACT_MONTH_MAX_TOKENS: { is: 'Tokens of one contact with an agent per month; 0: no limit.' },
  CONTACT_MONTH_MAX_COST_MICROS: { is: 'Cost of one contact with an agent per month; 0: no limit.' },
  APPROVAL_WAIT_MS: { is: 'After this a call that needs approval counts as refused.' },
  TURN_MAX_ATTEMPTS: { is: 'Attempts of one turn before it fails for good; waits do not count.' },
  TURN_WAIT_MS: { is: 'How long a turn waits for a model or the registry when they do not answer.' },
  TURN_MAX_SHORTENINGS: { is: 'How often a conversation that is too long is shortened in a turn.' },
  TURN_WINDOW: { is: 'Earlier turns that the model gets.' },
  TURN_WINDOW_CHARS: { is: 'Characters of each text of them.' },
  TOOL_RESULT_BYTES: { is: "Bytes of a tool's answer that the model gets." },
  TOOL_RESULT_KEPT_BYTES: { is: "Bytes of a tool's answer that are stored." },
  TOOL_CALLBACKS: { is: 'HTTP requests of one Python call.' },
  TOOL_TIMEOUT_MS: { is: 'Time limit of one call of a built-in or Python tool. Calls of MCP tools: see the registry.' },
  REQUEST_MAX_BYTES: { is: "At least 1.4 times the gateway's `KNOWLEDGE_MAX_FILE_BYTES`." },
  DOCUMENT_MAX_CHARS: { is: 'Characters of one document of the knowledge.' },
  AGENT_CACHE_MS: {
    is: 'How long replicas other than the one that changed an agent may still run its old version.',
  },
  ORDER_WAIT_MS: {
    is: 'How long a turn waits for an [earlier message](../decisions/0107-turns-are-stored-in-the-order-of-receipts.md) of its App that is still being processed.',
  },
  PROJECT_CONCURRENT_TURNS: {
    is: 'Turns of one project that run at a time in all replicas; others wait. 0: no limit. [Limits of a project](../operations.md#limits-of-a-project).',
  },
  SWEEP_EVERY_MS: {
    is: 'How often the sweep looks for abandoned turns and for replies that the gateway has not confirmed.',
  },
  SWEEP_AFTER_MS: { is: 'The age from which the sweep takes them.' },

  // credential-vault
  GATEHOUSE_KEK_RING: {
    default: 'needed',
    is: '`{"primary": kid, "keys": {kid: base64 of 32 bytes, or [a key elsewhere](../vault.md#keys-that-stay-in-a-key-management-service)}}`: the primary key wraps, all can unwrap. Back it up separately from the database.',
  },
  SERVICE_POLICY: { default: '[its table](../vault.md#who-may-ask)' },
  VERIFY_TIMEOUT_MS: { is: 'Must be more than twice `ADAPTER_TIMEOUT_MS`, so that the cause is reported.' },
  DEK_CACHE_ENTRIES: { is: 'Data keys in the cache.' },
  REFRESH_WAIT_MS: { is: 'How long a caller waits for a refresh.' },
  TOKEN_TIMEOUT_MS: { is: "Time limit of one token request; a pod's grace period must be longer." },
  REFRESH_LEASE_MS: { is: 'How long the lease of a refresh lasts without renewal.' },
  TOKEN_HOST_CONCURRENCY: { is: 'Token requests of one process at a time, for one client at one host.' },
  REFRESH_SWEEP_MS: { is: 'How often the sweep looks for grants that are due.' },
  REFRESH_JOURNAL_DAYS: { is: 'How long sealed answers of token endpoints are kept.' },
  REVOCATION_ATTEMPTS: { is: 'Attempts to revoke tokens at their provider.' },
  REVOCATION_RECORD_DAYS: { is: 'How long a failed revocation is shown.' },
  OAUTH_FLOW_SECONDS: { is: "How long a person has for the provider's pages." },
  NOTIFICATION_KEEP_DAYS: { is: 'How long an undelivered notification is kept for its receiver to be set again.' },

  // mcp-registry
  MCP_LIST_TOOLS: { is: 'The most tools of one listing.' },
  MCP_LIST_BYTES: { is: 'The most bytes of one listing.' },
  MCP_CONNECTIONS: { is: 'Connections of one replica.' },
  DISCOVERY_SWEEP_MS: { is: 'How often the sweep looks for servers that are due for discovery.' },
  SERVERS_PER_PROJECT: { is: 'MCP servers of one project.' },
  COMPILE_TIMEOUT_MS: { is: 'Time limit for compiling a Python tool.' },

  // portal
  CONSOLE_DIR: { default: '`dist/console`' },
  FAILED_KEYS_PER_ADDRESS: { is: '[Invalid keys](../http.md#api-keys-that-are-not-valid).' },
  FAILED_KEYS_TRACKED: { is: 'Failed sign-ins of an address are counted separately, with the same limits.' },
  FAILED_KEYS_WINDOW_MS: { is: 'The window in which they are counted.' },
  OIDC_ISSUER: { default: 'none', is: 'Its https address. [Single sign-on](../operations.md#signing-in).' },
  OIDC_CLIENT_ID: { is: 'The client id registered there.' },
  OIDC_NAME: { default: 'Single sign-on' },
  OIDC_DEFAULT_ROLE: { default: 'none' },
  OIDC_ROLES: { default: 'none', is: '`{"<value of the claim>": "<role>"}`.' },
  OIDC_TRUST_EMAIL: { default: 'false' },

  // python-runner
  PYTHON_CHILDREN: { is: 'Sandbox children, warm and busy together.' },
  PYTHON_CHILDREN_PER_ORGANIZATION: { is: 'Calls of one organization at a time.' },
  PYTHON_CALLS_PER_CHILD: { is: 'A child is replaced after this many calls.' },
  PYTHON_WAITING_CALLS: { is: 'Calls that may wait for a child; then 503 `runner_busy`.' },
  PYTHON_WAIT_MS: { is: 'How long they may wait.' },
  PYTHON_START_MS: { is: 'A child that is not warm by then is killed.' },
  PYTHON_IDLE_MS: {
    is: 'A child without a call for this long is replaced. When no child had a call for this long, none is kept ready.',
  },
  PYTHON_TIMEOUT_MS: { is: 'The longest call.' },
  PYTHON_COMPILE_MS: { is: 'The longest time for loading a source that is saved.' },
  PYTHON_MEMORY_MB: { is: 'Memory of Python.' },
  PYTHON_HEAP_MB: { is: 'Memory of the JavaScript around it.' },
  PYTHON_RSS_MB: { is: 'Resident memory at which a child is killed.' },
  PYTHON_KEEP_RSS_MB: { is: 'Resident memory above which a child is not used again.' },
  PYTHON_CPU_SECONDS: { is: 'CPU time of a child over its life.' },
  PYTHON_SOURCE_BYTES: { is: 'Size of a source.' },
  PYTHON_ARGUMENT_BYTES: { is: 'Size of the arguments of a call, as JSON.' },
  PYTHON_RESULT_BYTES: { is: 'Size of a result, as JSON.' },
  PYTHON_STDOUT_CHARS: { is: 'Printed characters that are kept.' },
  PYTHON_HOST_CALLS: { is: 'How many credentials and HTTP requests one call may ask for.' },
  PYTHON_HTTP_BYTES: { is: 'Size of one answer to such a request.' },
  PYTHON_EVENT_BYTES: { is: 'Size of the body that `event()` returns; a larger one is refused.' },

  // adapters
  GATEHOUSE_ADAPTER_BODY_LIMIT_BYTES: { is: 'Size of the largest call.' },
  GATEHOUSE_GENERIC_TIMEOUT_MS: { is: 'Time limit of one delivery of the generic adapter.' },
  GATEHOUSE_GITHUB_API_URL: {
    is: 'Your own server with the same API. If it is not public, add it to `GATEHOUSE_EGRESS_ALLOW`.',
  },
  GATEHOUSE_GMAIL_API_URL: { is: 'The same for Gmail.' },
  GATEHOUSE_GOOGLE_JWKS_URL: { is: 'May be your own server too.' },
  GATEHOUSE_SENDGRID_API_URL: { is: 'The same for SendGrid.' },
  GATEHOUSE_SLACK_API_URL: { is: 'The same for Slack.' },
  GATEHOUSE_DISCORD_API_URL: { is: 'The same for Discord, with the version.' },
  GATEHOUSE_TEAMS_LOGIN_URL: { is: 'Where the tokens of Teams bots are asked for.' },
  GATEHOUSE_TEAMS_JWKS_URL: { is: 'Key set of the tokens that Bot Framework signs.' },
  GATEHOUSE_TELEGRAM_API_URL: { is: 'The same for Telegram.' },
  GATEHOUSE_LINEAR_API_URL: { is: 'The same for Linear.' },
  GATEHOUSE_TWILIO_API_URL: { is: 'The same for Twilio.' },
  GATEHOUSE_WHATSAPP_API_URL: { is: 'The same for WhatsApp, with the version of the Graph API.' },
  GATEHOUSE_DRAIN_TIMEOUT_MS: { is: 'The longest time for draining at shutdown.' },
  TRACES_PERCENT: { is: { adapters: 'The share of messages whose trace is sent.' } },
  METRICS_EXPORT_MS: { is: { adapters: 'How often metrics are sent, in ms; 0: never.' } },

  // mcp-sidecar
  MCP_SIDECAR_FILE: { default: 'needed', is: '[Its format](../mcp-sidecar.md).' },
  MCP_SIDECAR_TOKEN: { default: 'needed', is: '32 characters or more.' },
  MCP_SIDECAR_BACKOFF_MS: { is: 'The first wait of the backoff.' },
  MCP_SIDECAR_BACKOFF_MAX_MS: { is: 'The longest wait.' },

  // host
  GATEHOUSE_SERVICES: {
    default: 'all',
    is: 'Services of this process, comma-separated; never the python-runner. `npm start` reads it too; its default there is none. A setting for one service has its name in front: `ROUTER_DATABASE_URL` overrides `DATABASE_URL`.',
  },
};

/** Variables that no service's env.ts reads. @type {{title: string, where: string, settings: Record<string, [string, string]>}[]} */
export const elsewhere = [
  {
    title: 'The exporter of traces and metrics',
    where: 'Read by OpenTelemetry itself, in every service.',
    settings: {
      OTEL_EXPORTER_OTLP_HEADERS: ['none', 'Headers (`authorization=Bearer%20...`); a secret.'],
      NODE_EXTRA_CA_CERTS: ['none', 'A file of certificate authorities that Node trusts in addition to its own.'],
    },
  },
  {
    title: 'Migrations and roles',
    where: 'Read by `migrate-all.js` and `prepare-roles.js` ([how](../operations.md#migrations-and-the-first-key)).',
    settings: {
      DATABASE_URL: ['needed', 'For `migrate-all.js`: Postgres itself (not a pooler), as `gatehouse_owner`.'],
      MIGRATE_LOCK_TIMEOUT_MS: [
        '2000',
        'For `migrate-all.js`: how long a migration waits for a lock before it makes way and is tried once more, a second later.',
      ],
      MIGRATE_LOCK_PATIENCE_MS: ['600000', 'For `migrate-all.js`: how long it tries to get one.'],
      DATABASE_ADMIN_URL: ['needed', 'For `prepare-roles.js`: a role that may create roles.'],
      GATEHOUSE_DATABASE_PASSWORDS: ['needed', 'For `prepare-roles.js`: `{"owner": "...", "<service>": "..."}`.'],
    },
  },
  {
    title: 'npm start',
    where: 'Read by [the launcher](../../scripts/launcher); it passes all other variables to the services.',
    settings: {
      GATEHOUSE_DATA_DIR: ['`.data`', 'The folder of its state; `--data-dir` overrides it.'],
      GATEHOUSE_PORT: ['any free port, kept', 'The port of the portal.'],
      '<SERVICE>_PORT': ['any free port, kept', 'The port of another service: `WEBHOOK_INGRESS_PORT`.'],
      GATEHOUSE_OPERATIONS_PORT: ['any free port, kept', 'The operations port of the portal.'],
      '<SERVICE>_OPERATIONS_PORT': ['any free port, kept', 'The operations port of another service.'],
      SERVICE_HEAP_MB: [
        '512',
        '128–65536. Most memory of V8’s old objects in one service; a process that hosts several has twice that. `NODE_OPTIONS` replaces it.',
      ],
      POSTGRES_SHARED_BUFFERS_MB: ['256', '16–1048576. `shared_buffers` of the Postgres that it starts.'],
      DATABASE_URL: ['a Postgres of its own', 'An existing Postgres, or a pooler before it.'],
      DATABASE_DIRECT_URL: [
        'none',
        'That Postgres itself, where `DATABASE_URL` leads to a pooler: migrations and listeners need it.',
      ],
      REDIS_URL: ['a Redis of its own', 'An existing Redis: one server, a Cluster or Sentinels.'],
      GATEHOUSE_EGRESS_ALLOW: [
        "the shipped adapters' address",
        'A value replaces the default; `127.0.0.1` includes it.',
      ],
    },
  },
  {
    title: 'The command line',
    where: 'Read by `gatehouse`: [the command line](../cli.md).',
    settings: {
      GATEHOUSE_URL: ['that of the installation', 'The address of the portal.'],
      GATEHOUSE_API_KEY: ['that of the installation', 'The key.'],
    },
  },
];
