import { readdirSync } from 'node:fs';
import { createHash } from 'node:crypto';

/** The recorded releases: a folder each, named after its tag. */
export const releasesDir = new URL('./', import.meta.url);

export const releases = readdirSync(releasesDir, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name.startsWith('v'))
  .map(({ name }) => name);

/** What a recorded installation knew about itself, and what must be found in it. */
export interface Recorded {
  api_key: string;
  webhook_path: string;
  /** An App whose webhooks are signed with a secret in the vault. */
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

/** Addresses that differ in each run, by their name in a recording. */
export type Places = Record<'sink' | 'adapters' | 'library' | 'tools' | 'provider', string>;

/** @param places without a trailing slash */
export function placesToNames(text: string, places: Places): string {
  return Object.entries(places).reduce((left, [name, url]) => left.replaceAll(url, `http://{${name}}`), text);
}

export function namesToPlaces(text: string, places: Places): string {
  return Object.entries(places).reduce((left, [name, url]) => left.replaceAll(`http://{${name}}`, url), text);
}

/** The recording's keys derive from a phrase, so that no stored key can be mistaken for a real one. */
const keyOf = (name: string): string => createHash('sha256').update(`recorded for tests: ${name}`).digest('base64');

export const recordedSecrets = {
  kek: { kid: 'kek-recorded', key: keyOf('kek') },
  webhook_key: keyOf('webhook'),
};
