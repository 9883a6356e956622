import { readdirSync } from 'node:fs';
import { createHash } from 'node:crypto';

/** Where the releases are that were recorded: a folder each, named as its tag. */
export const releasesDir = new URL('./', import.meta.url);

export const releases = readdirSync(releasesDir, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name.startsWith('v'))
  .map(({ name }) => name);

/** What a recorded installation was told of itself, and what is to be found in it. */
export interface Recorded {
  api_key: string;
  webhook_path: string;
  /** An App whose webhooks are signed with what the vault keeps. */
  signed: { webhook_path: string; secret: string };
  /** Events that had ended, each with its outcome. */
  ended: Record<string, string>;
  /** The event that waited in each queue of the path. */
  waiting: { 'outbound-sent': string; outbound: string; turns: string; route: string; inbound: string };
  run_id: string;
  source_id: string;
  mcp_server_id: string;
  grant_id: string;
}

/** Where things were that are elsewhere in each run, by the name that a recording has for them. */
export type Places = Record<'sink' | 'adapters' | 'library' | 'tools' | 'provider', string>;

/** @param places without a slash at the end */
export function placesToNames(text: string, places: Places): string {
  return Object.entries(places).reduce((left, [name, url]) => left.replaceAll(url, `http://{${name}}`), text);
}

export function namesToPlaces(text: string, places: Places): string {
  return Object.entries(places).reduce((left, [name, url]) => left.replaceAll(`http://{${name}}`, url), text);
}

/** The keys of what is recorded: of a phrase, so that no key lies about that somebody could take for theirs. */
const keyOf = (name: string): string => createHash('sha256').update(`recorded for tests: ${name}`).digest('base64');

export const recordedSecrets = {
  kek: { kid: 'kek-recorded', key: keyOf('kek') },
  webhook_key: keyOf('webhook'),
};
