// What the code does not say about a setting: its meaning if no comment gives it, a link, the default of a custom
// reader.

/**
 * A text for every service that reads it, or one for each by name (`*`: all others).
 * @typedef {string | Record<string, string>} Meaning
 */

/** @type {Record<string, {is?: Meaning, default?: string}>} */
export const notes = {
  // Every service.
  HTTP_HEADERS_TIMEOUT_MS: { is: 'From a connection to the last header of a request; then 408, and closed.' },
  HTTP_REQUEST_TIMEOUT_MS: { is: 'From there to the last byte of its body.' },
  HTTP_SILENCE_TIMEOUT_MS: { is: 'A connection on which nothing moves is closed. Longer than any call may take.' },
  HTTP_MAX_CONNECTIONS: { is: 'Connections of one process at a time; one more is closed at once.' },
  OPERATIONS_PORT: {
    is: { '*': 'Metrics and states, on the same `HOST`; 0: any. Keep it from who may reach `PORT`.', adapters: '' },
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: { is: '`/v1/traces` and `/v1/metrics` are added. [Traces](../operations.md#traces).' },
  SERVICE_TOKEN_MAX_AGE_SECONDS: {
    is: 'Tokens of services that were issued longer ago are refused, whatever their `exp` says. Clocks may differ by 10 s.',
  },
  SERVICE_TOKEN_REMEMBERED: { is: 'Ids of tokens that are taken once, in one process; what comes on top is refused.' },
  PORT: { is: 'Where it listens.' },
  HOST: { is: 'Where it listens.' },
  DATABASE_URL: {
    is: 'Postgres 15 or newer, by [a role of its own](../security.md#postgres), straight or by [a pooler](../operations.md#a-pooler). TLS: `?sslmode=verify-full`, with `&sslrootcert=/path`.',
  },
  REDIS_URL: {
    is: 'Redis 6.2 or newer, `noeviction`, by [a user of its own](../security.md#redis). [Cluster, Sentinel, TLS](../operations.md#redis).',
  },
  DATABASE_POOL: { is: '[Connections](../operations.md#connections) of one process; 3 in `k8s/base`.' },
  QUEUE_CONCURRENCY: {
    is: 'Jobs of one queue at a time in one process; four times as many may wait for others beside them.',
  },
  GATEHOUSE_SERVICE_KEY: { is: 'Ed25519 private key as JWK, or `{"keys": [...]}`: the first signs, all verify.' },
  PUBLIC_URL: { is: 'Where people and providers reach the installation.' },
  LOG_LEVEL: { is: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.' },
  GATEHOUSE_SERVICE_ISSUERS: { is: { 'python-runner': 'The public keys of the services; it has none of its own.' } },
  KUBERNETES_JWKS_URL: { is: 'The key set of that issuer. [Who may ask](../vault.md#who-may-ask).' },
  CHANGE_CACHE_MS: { is: 'Of rules, agents, Apps and sealed credentials.' },

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
      'webhook-ingress': 'The portal is believed by its token.',
      portal: 'Without it all clients behind a proxy are one address.',
    },
  },
  HANDSHAKE_MAX_BODY_BYTES: { is: '[Handshakes](../developer-portal.md#handshakes).' },
  RECEIPT_LEASE_MS: { is: 'One whose write has not begun after half of it is refused with 503.' },
  MAX_WAITING_JOBS: { is: '[Why](../decisions/0010-receipts-wait-in-postgres.md).' },
  PROJECT_ADVANCE: { is: '[Why](../decisions/0126-projects-have-a-share.md).' },
  PROJECT_MESSAGES_PER_SECOND: { is: '[Limits of a project](../operations.md#limits-of-a-project).' },
  RETENTION_DAYS: {
    is: {
      'webhook-ingress': 'Refusals, dead letters and batches too. [Retention](../events.md#retention).',
      engine: 'Days that turns, silent sessions and request keys are kept. [Retention](../events.md#retention).',
      router: '[Retention](../events.md#retention).',
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
  ADAPTER_TIMEOUT_MS: { is: 'One call of an adapter.' },
  DELIVERY_TIMEOUT_MS: { is: 'One delivery of the built-in Webhook app.' },
  HEALTH_POLL_MS: { is: "How often an adapter's `/health` is asked." },
  HEALTH_TIMEOUT_MS: { is: 'One such call.' },
  CONFORMANCE_TIMEOUT_MS: { is: 'Longest time of one answer in it.' },
  RENEWAL_RETRY_MS: { is: 'When a [renewal](../developer-portal.md#webhooks-that-end) that failed is tried again.' },
  SOURCE_FETCH_TIMEOUT_MS: { is: "One document's fetch." },
  SYNC_MAX_PAGE_CHANGES: { is: 'Changes of one page.' },
  DOCUMENT_ATTEMPTS: { is: 'Tries of one document in a run.' },

  // router
  EVENT_STREAMS_PER_PROJECT: { is: 'Live streams of one project in one process.' },
  STATISTICS_DAYS: { is: 'Counts are kept for so many days at all.' },

  // engine
  GATEHOUSE_EGRESS_ALLOW: {
    is: {
      engine: 'host:port or CIDR that tools may reach though it is not a public address.',
      adapters: '`host`, `host:port`, address or CIDR.',
    },
  },
  MODEL_BASE_URL: { is: 'An OpenAI-compatible API; without it the rehearsal model answers.' },
  MODEL_NAME: { is: 'The default model; an endpoint has to have one.' },
  MODEL_API_KEY: { is: "The API's key." },
  MODEL_FALLBACK_NAME: { is: 'Asked when the model gives no answer.' },
  MODEL_PRICES: { default: 'none', is: 'JSON of prices by model ([limits](../agents.md#limits)).' },
  MODEL_TIMEOUT_MS: { is: 'One call of the model.' },
  MODEL_MAX_OUTPUT_TOKENS: { is: 'One answer of the model.' },
  MODEL_BREAKER_FAILURES: { is: 'Failures in a row, from which one call at a time tries the model.' },
  MODEL_TRIAL_MS: { is: 'How far apart such trials are at most.' },
  INLINE_LIMIT_BYTES: { is: { engine: 'Replies up to this size travel inside the job, larger ones by reference.' } },
  TURN_LEASE_MS: {
    is: {
      engine: 'The lease of a running turn; void [with its process](../decisions/0105-a-connection-proves-life.md).',
    },
  },
  TURN_HEARTBEAT_MS: { is: 'How often it is renewed.' },
  TURN_MAX_STEPS: { is: 'Model calls of one turn.' },
  TURN_MAX_TOOL_CALLS: { is: 'Tool calls of one turn.' },
  TURN_PARALLEL_CALLS: { is: 'Reading calls at the same time.' },
  TURN_MAX_TOOLS: { is: 'Tools that a model is told of at once.' },
  TURN_FOUND_TOOLS: { is: 'Of those, how many a search may bring.' },
  TURN_MAX_SAME_READS: { is: 'How often a call that only reads may give the same result in a turn.' },
  TURN_WALL_CLOCK_MS: { is: 'The longest turn.' },
  TURN_MAX_TOKENS: { is: 'Tokens of one turn; 0: no limit.' },
  TURN_MAX_COST_MICROS: { is: 'Cost of one turn in millionths of the currency of `MODEL_PRICES`; 0: no limit.' },
  DAY_MAX_TOKENS: { is: "Tokens of an agent's day (UTC); 0: no limit." },
  DAY_MAX_COST_MICROS: { is: "Cost of an agent's day; 0: no limit." },
  CONTACT_DAY_MAX_TOKENS: { is: "Tokens of one contact's day with an agent; 0: no limit." },
  CONTACT_DAY_MAX_COST_MICROS: { is: "Cost of one contact's day with an agent; 0: no limit." },
  APPROVAL_WAIT_MS: { is: 'After this a call that needs approval counts as refused.' },
  TURN_MAX_ATTEMPTS: { is: 'Tries of one turn before it fails for good; waits are none.' },
  TURN_WAIT_MS: { is: 'How long a turn waits for a model, or the registry of tools, that is away.' },
  TURN_MAX_SHORTENINGS: { is: 'How often a conversation that is too long is shortened in a turn.' },
  TURN_WINDOW: { is: 'Earlier turns that the model is shown.' },
  TURN_WINDOW_CHARS: { is: 'Characters of each text of them.' },
  TOOL_RESULT_BYTES: { is: "A tool's answer as the model is given it." },
  TOOL_RESULT_KEPT_BYTES: { is: "A tool's answer as it is stored." },
  TOOL_CALLBACKS: { is: 'HTTP requests of one Python call.' },
  TOOL_TIMEOUT_MS: { is: 'One call of a tool.' },
  REQUEST_MAX_BYTES: { is: "1.4 times the gateway's `KNOWLEDGE_MAX_FILE_BYTES` at least." },
  DOCUMENT_MAX_CHARS: { is: 'One document of the knowledge.' },
  AGENT_CACHE_MS: {
    is: 'How long a changed agent may still run as it was, in other replicas than the one that changed it.',
  },
  ORDER_WAIT_MS: {
    is: 'How long a turn waits for an [earlier message](../decisions/0107-turns-are-stored-in-the-order-of-receipts.md) of its App that is on its way.',
  },
  PROJECT_CONCURRENT_TURNS: {
    is: 'Turns of one project that run at a time, in all replicas; more wait. 0: no limit. [Limits of a project](../operations.md#limits-of-a-project).',
  },
  SWEEP_EVERY_MS: { is: 'How often abandoned turns, and replies that the gateway has not told of, are looked for.' },
  SWEEP_AFTER_MS: { is: 'From what age.' },

  // credential-vault
  GATEHOUSE_KEK_RING: {
    default: 'needed',
    is: '`{"primary": kid, "keys": {kid: base64 of 32 bytes, or [a key elsewhere](../vault.md#keys-that-stay-in-a-key-management-service)}}`: the primary seals, all open. Back it up apart from the database.',
  },
  SERVICE_POLICY: { default: '[its table](../vault.md#who-may-ask)' },
  VERIFY_TIMEOUT_MS: { is: 'Over twice `ADAPTER_TIMEOUT_MS`, so that the cause is told.' },
  DEK_CACHE_ENTRIES: { is: 'How many.' },
  REFRESH_WAIT_MS: { is: 'How long a caller waits for a refresh.' },
  TOKEN_TIMEOUT_MS: { is: "One token request; a pod's grace period has to be longer." },
  REFRESH_LEASE_MS: { is: 'How long the lease of a refresh lasts unrenewed.' },
  TOKEN_HOST_CONCURRENCY: { is: 'Token requests of one process at a time, for one client at one host.' },
  REFRESH_SWEEP_MS: { is: 'How often grants are looked for that are due.' },
  REFRESH_JOURNAL_DAYS: { is: 'How long answers of token endpoints are kept, sealed.' },
  REVOCATION_ATTEMPTS: { is: 'Tries to tell a provider of tokens that left.' },
  REVOCATION_RECORD_DAYS: { is: 'How long a revocation that was given up is shown.' },
  OAUTH_FLOW_SECONDS: { is: "How long a person has for the provider's pages." },
  NOTIFICATION_KEEP_DAYS: { is: 'How long a notification that was given up is kept, until its receiver is set again.' },

  // mcp-registry
  MCP_CALL_MAX_MS: { is: 'The longest time-out that a call may name.' },
  MCP_LIST_TOOLS: { is: 'Tools of one listing.' },
  MCP_LIST_BYTES: { is: 'Bytes of one listing.' },
  MCP_CONNECTIONS: { is: 'Connections of one replica.' },
  DISCOVERY_SWEEP_MS: { is: 'How often servers are looked for whose time has come.' },
  SERVERS_PER_PROJECT: { is: 'MCP servers of one project.' },
  COMPILE_TIMEOUT_MS: { is: 'Compiling a Python tool.' },

  // portal
  CONSOLE_DIR: { default: '`dist/console`' },
  FAILED_KEYS_PER_ADDRESS: { is: '[Keys that are not valid](../http.md#api-keys-that-are-not-valid).' },
  FAILED_KEYS_TRACKED: { is: 'Failed sign-ins of an address are counted apart, by the same limits.' },
  FAILED_KEYS_WINDOW_MS: { is: 'The window.' },
  OIDC_ISSUER: { default: 'none', is: 'Its https address. [Single sign-on](../operations.md#signing-in).' },
  OIDC_CLIENT_ID: { is: 'The client that is registered there.' },
  OIDC_NAME: { default: 'Single sign-on' },
  OIDC_DEFAULT_ROLE: { default: 'none' },
  OIDC_ROLES: { default: 'none', is: '`{"<value of the claim>": "<role>"}`.' },
  OIDC_TRUST_EMAIL: { default: 'false' },

  // python-runner
  PYTHON_CHILDREN: { is: 'Sandbox children, warm and busy together.' },
  PYTHON_CHILDREN_PER_ORGANIZATION: { is: 'Calls of one organization at a time.' },
  PYTHON_CALLS_PER_CHILD: { is: 'A child is replaced after so many calls.' },
  PYTHON_WAITING_CALLS: { is: 'Calls that may wait for a child; then 503 `runner_busy`.' },
  PYTHON_WAIT_MS: { is: 'How long they wait.' },
  PYTHON_START_MS: { is: 'A child that is not warm by then is given up.' },
  PYTHON_IDLE_MS: {
    is: 'A child without a call for so long is replaced; after the last call of all, none is kept ready.',
  },
  PYTHON_TIMEOUT_MS: { is: 'The longest call.' },
  PYTHON_COMPILE_MS: { is: 'The longest loading of a source that is saved.' },
  PYTHON_MEMORY_MB: { is: 'Memory of Python.' },
  PYTHON_HEAP_MB: { is: 'Memory of the JavaScript around it.' },
  PYTHON_RSS_MB: { is: 'Resident memory at which a child is killed.' },
  PYTHON_KEEP_RSS_MB: { is: 'Resident memory above which a child is not used again.' },
  PYTHON_CPU_SECONDS: { is: 'Processor time of a child in its life.' },
  PYTHON_SOURCE_BYTES: { is: 'A source.' },
  PYTHON_ARGUMENT_BYTES: { is: 'Arguments of a call, as JSON.' },
  PYTHON_RESULT_BYTES: { is: 'A result, as JSON.' },
  PYTHON_STDOUT_CHARS: { is: 'What is printed.' },
  PYTHON_HOST_CALLS: { is: 'Credentials and HTTP requests that one call may ask for.' },
  PYTHON_HTTP_BYTES: { is: 'One answer to such a request.' },
  PYTHON_EVENT_BYTES: { is: 'The body that `event()` gives; a larger one is refused.' },

  // adapters
  GATEHOUSE_ADAPTER_BODY_LIMIT_BYTES: { is: 'The largest call.' },
  GATEHOUSE_GENERIC_TIMEOUT_MS: { is: 'One delivery of the generic adapter.' },
  GATEHOUSE_GITHUB_API_URL: {
    is: 'A server of your own with the same API; name it in `GATEHOUSE_EGRESS_ALLOW` when it is not public.',
  },
  GATEHOUSE_GMAIL_API_URL: { is: 'The same for Gmail.' },
  GATEHOUSE_GOOGLE_JWKS_URL: { is: 'The same for it.' },
  GATEHOUSE_SENDGRID_API_URL: { is: 'The same for SendGrid.' },
  GATEHOUSE_SLACK_API_URL: { is: 'The same for Slack.' },
  GATEHOUSE_TELEGRAM_API_URL: { is: 'The same for Telegram.' },
  GATEHOUSE_DRAIN_TIMEOUT_MS: { is: 'The longest drain.' },
  TRACES_PERCENT: { is: { adapters: 'The share of messages whose trace is sent.' } },
  METRICS_EXPORT_MS: { is: { adapters: 'How often metrics are sent, in ms; 0: never.' } },

  // mcp-sidecar
  MCP_SIDECAR_FILE: { default: 'needed', is: '[Its form](../mcp-sidecar.md).' },
  MCP_SIDECAR_TOKEN: { default: 'needed', is: '32 characters or more.' },
  MCP_SIDECAR_BACKOFF_MS: { is: 'The first such wait.' },
  MCP_SIDECAR_BACKOFF_MAX_MS: { is: 'The longest.' },

  // host
  GATEHOUSE_SERVICES: {
    default: 'all',
    is: 'Services of this process, comma-separated; never the python-runner. `npm start` reads it too: none there. A setting of one of them stands behind its name: `ROUTER_DATABASE_URL` before `DATABASE_URL`.',
  },
};

/** Variables that no service's env.ts reads. @type {{title: string, where: string, settings: Record<string, [string, string]>}[]} */
export const elsewhere = [
  {
    title: 'The exporter of traces and metrics',
    where: 'Read by OpenTelemetry itself, in every service.',
    settings: {
      OTEL_EXPORTER_OTLP_HEADERS: ['none', 'Headers (`authorization=Bearer%20...`); a secret.'],
      NODE_EXTRA_CA_CERTS: ['none', 'A file of authorities that Node trusts beside its own.'],
    },
  },
  {
    title: 'Migrations and roles',
    where: 'Read by `migrate-all.js` and `prepare-roles.js` ([how](../operations.md#migrations-and-the-first-key)).',
    settings: {
      DATABASE_URL: ['needed', 'Of `migrate-all.js`: Postgres itself, as `gatehouse_owner`.'],
      DATABASE_ADMIN_URL: ['needed', 'Of `prepare-roles.js`: a role that may make roles.'],
      GATEHOUSE_DATABASE_PASSWORDS: ['needed', 'Of `prepare-roles.js`: `{"owner": "...", "<service>": "..."}`.'],
    },
  },
  {
    title: 'npm start',
    where: 'Read by [the launcher](../../scripts/launcher); it hands all other variables on to the services.',
    settings: {
      GATEHOUSE_DATA_DIR: ['`.data`', 'The folder of its state; `--data-dir` goes before it.'],
      GATEHOUSE_PORT: ['any free port, kept', "The portal's."],
      '<SERVICE>_PORT': ['any free port, kept', 'The port of another service: `WEBHOOK_INGRESS_PORT`.'],
      GATEHOUSE_OPERATIONS_PORT: ['any free port, kept', "The portal's port of operations."],
      '<SERVICE>_OPERATIONS_PORT': ['any free port, kept', 'That of another service.'],
      DATABASE_URL: ['a Postgres of its own', 'A Postgres that is there.'],
      REDIS_URL: ['a Redis of its own', 'A Redis that is there: one server.'],
      GATEHOUSE_EGRESS_ALLOW: ["the shipped adapters' address", 'Setting it replaces that: `127.0.0.1` covers it.'],
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
