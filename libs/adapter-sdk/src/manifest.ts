import type { Feature } from './features.js';

/** What an adapter serves at `/manifest.json` (contract 2.1, 2.2; additions are optional). Unknown fields are ignored. */
export interface Manifest {
  schema_version: string;
  /** Path segment that the adapter is mounted under, and the `adapter` value of `/health`. */
  slug: string;
  name: string;
  description: string;
  icon?: string;
  category: string;
  capabilities: Capability[];
  credentials: CredentialDeclaration[];
  skill?: { name: string; knowledge: string; tool_names?: string[] };
  setup_instructions?: string[];
  author?: { name: string; url: string };
  oauth_config?: OAuthConfig;
  /** Version of the adapter contract that the adapter was written against; this SDK speaks `1`. */
  contract?: string;
  webhook?: WebhookDeclaration;
  /** Its events can be fetched as well, for an App that no provider can reach; needs the handler `poll`. */
  connect?: ConnectDeclaration;
  message?: MessageDeclaration;
  /** What its messages can have beyond their text; for everything else the gateway has a fallback. */
  features?: Feature[];
  /**
   * `sample`: a webhook body as the provider sends it, for trying it out; `sample_headers`: the headers that it needs.
   */
  events?: { type: string; description?: string; sample?: unknown; sample_headers?: Record<string, string> }[];
  sources?: { max_file_bytes?: number };
}

export type Capability = 'send' | 'receive';
export type MessageFormat = 'markdown' | 'plain' | 'native';
export type CredentialType = 'api_key' | 'text' | 'oauth2';

export interface CredentialDeclaration {
  key: string;
  type: CredentialType;
  label: string;
  /** Name of the field under `credentials` in every request body. */
  maps_to: string;
  /**
   * Hosts to which tools of the manifest's `skill` may send it: `api.example.com`, `*.example.com`,
   * `api.example.com:8443`. Absent: its own record or the project says where.
   */
  hosts?: string[];
  /** Absent means required. When an optional one is missing, the App can do less but still works. */
  required?: boolean;
  description?: string;
}

export interface OAuthConfig {
  authorization_url?: string;
  token_url?: string;
  revocation_url?: string;
  issuer?: string;
  scopes?: string[];
  scope_separator?: string;
  pkce?: boolean;
  token_auth_method?: string;
  extra_authorize_params?: Record<string, string>;
  quirks?: Record<string, unknown>;
}

export interface WebhookDeclaration {
  /** A declared scheme is checked by the ingress; `adapter` (the default) goes through `/verify-webhook`. */
  verification?: { scheme: string; header?: string; [option: string]: unknown } | 'adapter' | 'none';
  handshake?: HandshakeDeclaration;
  ack?: { status: number; body?: unknown };
  max_body_bytes?: number;
  /** The provider stops sending events on its own: the gateway calls `/renew-webhook` this often. */
  renew_seconds?: number;
  /** The provider can be asked for what it could not deliver: the gateway calls `/missed-since` after an outage. */
  missed_since?: boolean;
  /** Header that names one delivery: a second request with the same value is answered as a duplicate. */
  delivery_id_header?: string;
}

/** Where a request has a value: one of these. A pointer is a JSON pointer (RFC 6901) into the body. */
export interface RequestPlace {
  query?: string;
  pointer?: string;
  header?: string;
}

/** A request that has to be answered with one of its own values before the provider sends anything. */
export interface HandshakeDeclaration {
  method: 'GET' | 'POST';
  /** The request is a handshake when the value is present; with `equals`, when it is equal. */
  match: RequestPlace & { equals?: string };
  /** The value to echo, or to sign; `adapter`: the answer is the `challenge_response` of `/parse-inbound`. */
  respond: 'adapter' | HandshakeResponse;
  /** A query parameter that has to be equal to a field of the credentials. */
  verify_token?: { query: string; field: string };
  /** It is answered before a signature is checked. */
  unsigned?: boolean;
}

export interface HandshakeResponse extends RequestPlace {
  /** The value is signed with this field of the credentials instead of echoed. */
  hmac?: { field: string; algorithm?: 'sha256' | 'sha512' | 'sha1'; encoding?: 'hex' | 'base64'; prefix?: string };
  /** The answer is a JSON object with the value under this name. */
  as?: string;
  /** The JSON also has the value as it came, under this name. */
  echo_as?: string;
  /** The value is answered in this header. */
  as_header?: string;
  /** The answer is this text, whatever came. */
  fixed?: string;
  /** Default: 200. */
  status?: number;
}

export interface MessageDeclaration {
  max_length?: number;
  formats?: MessageFormat[];
  threads?: boolean;
  /** The earlier way to list `files` in `features`. */
  attachments?: boolean;
  /** Total bytes of the files of one message. */
  max_attachment_bytes?: number;
  /** Promises that two `/deliver` calls with the same `idempotency_key` arrive once: a lost answer is retried. */
  idempotent?: boolean;
  /** The adapter offers `/deliver/lookup`. */
  lookup?: boolean;
  /**
   * No provider keeps its messages, the platform does: what the adapter accepts is stored for the visitor of a web chat.
   * The credentials `origins`, `identity_secret` and `anonymous` say which pages show it, and to whom.
   */
  mailbox?: boolean;
  /** Its addresses are mail addresses, and its threads Message-IDs: answers of web chats may go by it to visitors who are away. */
  mail?: boolean;
  /** Messages that the provider accepts per address in this many seconds; the gateway spaces them evenly. */
  rate_per_address?: { count: number; seconds: number };
}

/** A manifest's `connect`: the provider can be asked for its events, so that none has to reach the platform. */
export interface ConnectDeclaration {
  /**
   * `/poll` is called again and again, by one process at a time. `poll`: each call asks the provider; `socket`: the adapter
   * holds a socket from one call to the next.
   */
  kind: 'poll' | 'socket';
  /** How long the provider keeps events for whoever does not ask. A longer silence is reported as a gap. */
  keeps_seconds?: number;
}
