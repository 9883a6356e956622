import type { LinkedCredential } from './app-credentials.js';

/** Which fields of a credential hold keys that check signatures, and how a key is made of their text. */
export interface KeyCheck {
  form: 'text' | 'standard-webhooks';
  /** The record's own names, or those of its binding. */
  fields: string[];
  /** Whether its only field is meant when none has such a name. */
  or_only_field: boolean;
}

/** A signature scheme that the ingress checks itself, without a hop to the adapter. */
export interface DeclaredVerification {
  scheme: 'hmac' | 'standard-webhooks';
  /** Lower-case header that carries the signature (`hmac`). */
  header?: string;
  algorithm?: 'sha256' | 'sha512' | 'sha1';
  encoding?: 'hex' | 'base64';
  /** Prefix of the digest in the header, for example `sha256=`. */
  prefix?: string;
  /** Lower-case header with the time of signing in Unix seconds (`hmac`); `signed_text` is then what is signed. */
  timestamp_header?: string;
  /** How far that time, or Standard Webhooks' time, may be off. */
  tolerance_seconds?: number;
  /** Contains `{timestamp}` and `{body}` once each, the body last; `{timestamp}.{body}` when absent. */
  signed_text?: string;
  /** Credential fields that hold the secrets; two may be set during a rotation. */
  secret_fields: string[];
}

/** The form of a `signed_text`. */
export const signedText = /^[^{}]*\{timestamp\}[^{}]*\{body\}$/;

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
}

/** What the ingress needs to know about an App to answer its webhook (the projection that the gateway serves). */
export interface Endpoint {
  app_id: string;
  organization_id: string;
  project_id: string;
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
  version: number;
}
