import type { LinkedCredential } from './app-credentials.js';
import type { TextFrom } from './jobs/turn-run.js';
import type { ScopeColumns } from './project-scope.js';

/** Which fields of a credential hold keys that check signatures, and how a key is made of their text. */
export interface KeyCheck {
  form: 'text' | 'standard-webhooks';
  /** The record's own names, or those of its binding. */
  fields: string[];
  /** Whether its only field is meant when none has such a name. */
  or_only_field: boolean;
}

/** How the ingress checks requests itself, without a hop to the adapter: a scheme of the adapter SDK. */
export interface DeclaredVerification {
  scheme:
    | 'hmac'
    | 'standard-webhooks'
    | 'ed25519'
    | 'ecdsa-p256'
    | 'rsa'
    | 'jwt-hs256'
    | 'jwt-rs256'
    | 'jwt-es256'
    | 'secret'
    | 'basic';
  /** Lower-case header that carries the proof; with `*` at its end, every one that begins so. */
  header?: string;
  query?: string;
  pointer?: string;
  algorithm?: 'sha256' | 'sha512' | 'sha1';
  encoding?: 'hex' | 'base64';
  /** Text before each signature in its place, for example `sha256=`. */
  prefix?: string;
  /** How the bytes of an HMAC's key are written. */
  key?: 'text' | 'base64' | 'hex';
  /** Where the time of signing is: a header, a place in the body, or an entry beside the signature. */
  timestamp_header?: string;
  timestamp_pointer?: string;
  timestamp_entry?: string;
  timestamp_unit?: 's' | 'ms' | 'iso';
  /** How far that time may be off. */
  tolerance_seconds?: number;
  /** A template of what is signed, such as `v0:{timestamp}:{body}`. */
  signed_text?: string;
  /** Claim of a JWT that holds the body's SHA-256. */
  body_hash_claim?: string;
  /** Query parameter that holds the hex SHA-256 of a body that is no form. */
  body_hash_query?: string;
  /** Credential fields that hold the secrets; two may be set during a rotation. */
  secret_fields: string[];
}

/** Where a request has a value: one of these. */
export interface RequestPlace {
  query?: string;
  /** JSON pointer into the body. */
  pointer?: string;
  /** Lower-case. */
  header?: string;
}

/** The answer to a handshake: the value as text, or its HMAC, or either in a JSON object. */
export interface HandshakeResponse extends RequestPlace {
  /** The value is not echoed but signed with the credential's field, as a challenge-response check expects. */
  hmac?: { field: string; algorithm?: 'sha256' | 'sha512' | 'sha1'; encoding?: 'hex' | 'base64'; prefix?: string };
  /** The answer is JSON, with the value under this name. */
  as?: string;
  /** The JSON also has the value as it came, under this name. */
  echo_as?: string;
  /** The value is answered in this header. */
  as_header?: string;
  /** The answer is this text, whatever came; nothing is echoed. */
  fixed?: string;
  /** Default: 200. */
  status?: number;
}

/** A handshake that the manifest describes: the ingress recognises it without asking, and answers most itself. */
export interface DeclaredHandshake {
  method: 'GET' | 'POST';
  /** The value whose presence makes the request a handshake; with `equals`, it has to be that value. */
  match: RequestPlace & { equals?: string };
  /** Where the value to echo is, and what is made of it; `adapter`: its `/parse-inbound` gives the answer. */
  respond: HandshakeResponse | 'adapter';
  /** Query parameter that has to equal the credential field of that name. */
  verify_token?: { query: string; field: string };
  /** It is answered before any signature is checked: the sender signs nothing until it has been answered. */
  unsigned?: boolean;
}

/**
 * Where a sender's events have what the platform wants to know. Each is a list of templates, such as
 * `{header:x-github-event}.{/action}`: the first one whose values are all there counts.
 */
export interface EventReading {
  /** What triggers match. */
  event_type?: string[];
  /** Names one event: a second request with the same is a duplicate. */
  dedup_key?: string[];
  sender?: string[];
  /** Text for people; without it the whole payload is the message. */
  text?: string[];
  /** JSON pointer to a list of events, each a message of its own: `*` stands for every entry of a list on the way. */
  items?: string;
}

/** How the built-in Webhook App is read. */
export interface DirectApp {
  /** The id of a well-known sender. */
  sender: string | null;
  reading: EventReading | null;
  signature: DeclaredVerification | null;
}

/** What the ingress needs to know about an App to answer its webhook (the projection that the gateway serves). */
export interface Endpoint extends ScopeColumns {
  app_id: string;
  /** Hex SHA-256 of the token. */
  token_hash: string;
  /** The token before the last rotation: it works until then (RFC 3339), and afterwards answers 410. */
  previous_token: { hash: string; until: string } | null;
  /** Tokens replaced by a rotation: they answer 410. */
  retired_token_hashes: string[];
  kind: 'builtin' | 'adapter';
  state: 'active' | 'paused' | 'disabled' | 'project_closed' | 'retired';
  verification: DeclaredVerification | 'adapter' | 'none';
  handshake: DeclaredHandshake | null;
  /** True when no POST handshake is declared: the adapter is asked about requests that look like one. */
  adapter_handshake: boolean;
  ack: { status: number; body: string | null; content_type: string | null };
  /** Header that names the delivery, for providers that declare one. */
  delivery_id_header: string | null;
  max_body_bytes: number;
  /** The records that hold its secrets, with the names by which `secret_fields` and handshakes refer to them. */
  credentials: LinkedCredential[];
  /** So that the ingress parses simple requests itself. Absent: the gateway parses all of them. */
  direct?: DirectApp & {
    /** As in `message.route`. */
    text_from?: TextFrom;
    sends: boolean;
  };
  version: number;
}
