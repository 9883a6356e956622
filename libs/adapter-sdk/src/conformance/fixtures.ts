import type { Credentials, Self } from '../call-context.js';
import type { DeliverError } from '../delivery.js';
import type { SigningRecipe } from './webhook-signing.js';

/**
 * What an adapter bundles for the kit, as `conformance.json` in a folder. Everything is optional: checks are skipped
 * when what they need is missing. `{{provider}}` in any text is replaced by the address of the fake provider.
 */
export interface ConformanceFixtures {
  /** `good` and `other` are two working accounts; the provider refuses `bad`; `revoked` used to work. */
  credentials?: { good?: Credentials; bad?: Credentials; revoked?: Credentials; other?: Credentials };
  /** Fields of the credentials that are not secret and may appear in answers, such as a host or a user name. */
  public_credentials?: string[];
  /** Who the adapter is at the provider, as `/verify` returns it under `account`. */
  self?: Self;
  webhooks?: { signing?: SigningRecipe; samples?: WebhookSample[]; handshakes?: HandshakeSample[] };
  deliver?: DeliverFixture;
  format?: FormatSample[];
  sources?: SourcesFixture;
  provider?: { routes: ProviderRoute[] };
  /**
   * A check's id, or a point, with why it cannot apply to this provider: `{"5.edited": "messages cannot be edited"}`.
   */
  not_applicable?: Record<string, string>;
}

/**
 * One webhook as the provider sends it. Its body is `json`, exact `text`, or the bytes of `file` beside the fixtures.
 */
export interface WebhookSample {
  name: string;
  json?: unknown;
  text?: string;
  file?: string;
  method?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /**
   * `own`: the adapter's own message comes back. `own_edited`: after an edit. `unknown`: an event that nobody handles.
   */
  role?: 'other' | 'own' | 'own_edited' | 'unknown';
  /** Name of a sample that reports the same message in another way: both have the same `dedup_key`. */
  same_message_as?: string;
  /** Fields that the parsed message must have; objects are compared only by the fields named here. */
  expect?: Record<string, unknown>;
}

export interface HandshakeSample extends WebhookSample {
  /** The `challenge_response`, text or object. */
  respond: unknown;
}

/** The provider's answer. A text body is sent unchanged, anything else as JSON. */
export interface ProviderAnswer {
  status?: number;
  headers?: Record<string, string>;
  /**
   * May contain `{{n}}`, the number of the request, and `{{/pointer}}`, a JSON pointer into the request's JSON or form.
   */
  body?: unknown;
}

export interface ProviderRoute extends ProviderAnswer {
  method?: string;
  /** Exact, or a prefix that ends in `*`. Does not include the query. */
  path: string;
  /** Texts that have to be in a header, for routes that answer each account differently. */
  headers_include?: Record<string, string>;
  /** `send`: takes one part of a message; faults are injected here. `verify`: answers the check of credentials. */
  does?: 'send' | 'verify';
  /** Where a `send` has the text of its part: JSON pointer into the JSON or the form's fields (`/text`), or `raw`. */
  text?: string;
  /**
   * What the adapter adds to each part as a hidden mark: a regular expression. It is not part of the message's text.
   */
  mark?: string;
  /** Only while the provider is in this state of `sources.states`. */
  state?: number;
}

export const FAULTS = ['unauthorized', 'forbidden', 'not_found', 'rate_limited', 'unavailable', 'timeout'] as const;
export type Fault = (typeof FAULTS)[number];

export interface DeliverFixture {
  channel_address: string;
  thread_id?: string;
  /** A message of the adapter's own, for what changes one: features `edit` and `reactions`. */
  message_id?: string;
  /** Default: 👍. */
  reaction?: string;
  /** How this provider reports it, if not only by the status; `expect` is the code that it maps to. */
  faults?: Partial<Record<Fault, ProviderAnswer & { expect?: DeliverError }>>;
}

export interface FormatSample {
  text: string;
  mode: 'rich' | 'plain';
  expect: { text: string; lossy?: string[] };
}

export interface SourcesFixture {
  resource_path: string;
  /** A root that does not exist. */
  missing_resource_path?: string;
  /**
   * What a listing shows in each state of the provider since the previous one; the first is requested without cursor.
   */
  states: { changes: { path: string; status: 'added' | 'modified' | 'removed' }[] }[];
  file?: { file_path: string; content: string };
}
