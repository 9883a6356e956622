import { FEATURES } from './features.js';
import { isJsonObject, type JsonObject } from './json-value.js';
import type { Capability, CredentialType, MessageFormat } from './manifest.js';
import { sizeProblems, storageProblems } from './manifest-limits.js';
import {
  aFilledText,
  aListOf,
  anObject,
  anObjectOf,
  anIdentifier,
  anything,
  aText,
  aWebAddress,
  aWholeNumber,
  type FieldProblem,
  fieldProblems,
  oneOf,
  trueOrFalse,
  type Wanted,
} from './typed-field.js';
import { unsafeParts } from './unsafe-parts.js';
import { webhookProblems } from './webhook-problems.js';

/** `field` as in the manifest (`credentials[0].key`), and what is wrong with it. */
export type ManifestProblem = FieldProblem;

/** The known versions of the manifest's schema (contract 9). */
export const SCHEMA_VERSIONS = ['1.0'] as const;

const CREDENTIAL_TYPES: readonly CredentialType[] = ['api_key', 'text', 'oauth2'];
const CAPABILITIES: readonly Capability[] = ['send', 'receive'];
const FORMATS: readonly MessageFormat[] = ['markdown', 'plain', 'native'];

/** A wildcard stands for names below a domain of at least two labels, so that none covers a whole top-level domain. */
const hostName = /^(?:(?:[a-z0-9_-]+\.)*[a-z0-9_-]+(?::\d{1,5})?|\*\.(?:[a-z0-9_-]+\.)+[a-z0-9_-]+)$/i;
const maxHosts = 20;
const aHost: Wanted = {
  is: 'a host, with a port if any, such as api.example.com, *.example.com or api.example.com:8443',
  accepts: (value) => typeof value === 'string' && isHost(value),
};

function isHost(text: string): boolean {
  const port = Number(/:(\d{1,5})$/.exec(text)?.[1] ?? 0);
  return text.length <= 260 && port <= 65_535 && (hostName.test(text) || /^\[[0-9a-f:.]+\](?::\d{1,5})?$/i.test(text));
}

const hosts = aListOf(aHost, `a list of at most ${maxHosts} hosts`, maxHosts);

const texts = aListOf(aText, 'a list of texts');
const names = aListOf(aFilledText, 'a list of texts that are not empty');
const slug: Wanted = {
  is: 'lower-case letters, digits and hyphens, at most 63',
  accepts: (value) => typeof value === 'string' && /^[a-z0-9][a-z0-9-]{0,62}$/.test(value),
};

const required = {
  schema_version: oneOf(SCHEMA_VERSIONS),
  name: aFilledText,
  description: aFilledText,
  category: aFilledText,
  slug,
  capabilities: aListOf(oneOf(CAPABILITIES), 'a list of send and receive'),
  credentials: aListOf(anObject, 'a list of objects'),
};

const features = aListOf(oneOf(FEATURES), `a list of ${FEATURES.join(', ')}`);
const optional = { icon: aText, setup_instructions: texts, contract: aText, features };

type Check = (given: JsonObject, at: string) => FieldProblem[];

const only =
  (needed: Record<string, Wanted>, more: Record<string, Wanted> = {}): Check =>
  (given, at) =>
    fieldProblems(given, needed, more, at);

/** The fields of each object in a manifest; all of them optional. */
const objects: Record<string, Check> = {
  skill: only({ name: aFilledText, knowledge: aText }, { tool_names: names }),
  author: only({}, { name: aText, url: aText }),
  oauth_config: only(
    {},
    {
      authorization_url: aWebAddress,
      token_url: aWebAddress,
      revocation_url: aWebAddress,
      issuer: aWebAddress,
      scopes: texts,
      scope_separator: aText,
      pkce: trueOrFalse,
      token_auth_method: aFilledText,
      extra_authorize_params: anObjectOf(aText, 'an object of texts'),
      quirks: anObject,
    },
  ),
  connect: only({ kind: oneOf(['poll', 'socket']) }, { keeps_seconds: aWholeNumber(1) }),
  webhook: webhookProblems,
  message: (given, at) => [
    ...fieldProblems(
      given,
      {},
      {
        max_length: aWholeNumber(1),
        formats: aListOf(oneOf(FORMATS), `a list of ${FORMATS.join(', ')}`),
        threads: trueOrFalse,
        attachments: trueOrFalse,
        max_attachment_bytes: aWholeNumber(0),
        idempotent: trueOrFalse,
        lookup: trueOrFalse,
        mailbox: trueOrFalse,
        mail: trueOrFalse,
        rate_per_address: anObject,
      },
      at,
    ),
    ...inside(given, 'rate_per_address', only({ count: aWholeNumber(1), seconds: aWholeNumber(1) }), at),
  ],
  sources: only({}, { max_file_bytes: aWholeNumber(1) }),
};

/** What is wrong with a manifest (contract 2.1, 2.2, and the additions), field by field. Unknown fields are allowed. */
export function manifestProblems(manifest: unknown): ManifestProblem[] {
  if (!isJsonObject(manifest)) return [{ field: 'manifest', message: 'must be an object' }];
  const tooLarge = sizeProblems(manifest);
  if (tooLarge.length > 0) return tooLarge;
  const problems = contentProblems(manifest);
  return problems.length > 0 ? problems : storageProblems(manifest);
}

function contentProblems(manifest: JsonObject): FieldProblem[] {
  const { credentials, events } = manifest;
  const wholes = Object.fromEntries(Object.keys(objects).map((field) => [field, anObject]));
  return [
    ...fieldProblems(manifest, required, {
      ...optional,
      ...wholes,
      events: aListOf(anObject, 'a list of objects'),
    }),
    ...Object.entries(objects).flatMap(([field, check]) => inside(manifest, field, check)),
    ...each(
      events,
      'events',
      only({ type: anIdentifier }, { description: aText, sample: anything, sample_headers: anObject }),
    ),
    ...each(
      credentials,
      'credentials',
      only(
        { key: anIdentifier, label: aFilledText, maps_to: anIdentifier, type: oneOf(CREDENTIAL_TYPES) },
        { required: trueOrFalse, description: aText, hosts },
      ),
    ),
    ...twice(credentials, 'maps_to'),
    ...twice(credentials, 'key'),
    ...unsafeParts(manifest),
  ];
}

/** The problems of an object inside an object, if it is one. */
function inside(of: JsonObject, field: string, check: Check, at = ''): FieldProblem[] {
  const value = of[field];
  return isJsonObject(value) ? check(value, `${at}${field}.`) : [];
}

function each(list: unknown, field: string, check: Check): FieldProblem[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((entry: unknown, index) => (isJsonObject(entry) ? check(entry, `${field}[${index}].`) : []));
}

/** Two declarations with the same key would be one, as would two values under the same name. */
function twice(credentials: unknown, field: 'maps_to' | 'key'): FieldProblem[] {
  if (!Array.isArray(credentials)) return [];
  const given = credentials.flatMap((entry: unknown) => (isJsonObject(entry) ? [entry[field]] : []));
  if (new Set(given).size === given.length) return [];
  return [{ field: 'credentials', message: `must not have one ${field} twice` }];
}
