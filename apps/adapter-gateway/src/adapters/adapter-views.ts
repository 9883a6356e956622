import type { AdapterRow } from './adapter.entity.js';
import type { ManifestVersionRow } from './manifest-version.entity.js';
import { type ManifestWarning, manifestWarnings } from './manifest-warnings.js';

/** An adapter as the API shows it. */
export type AdapterView = Omit<AdapterRow, 'skill_told' | 'skill_credentials'> & {
  /** Its own name here, or what its manifest says. */
  name: string;
  /** What the manifest in force names that there is not. */
  warnings: ManifestWarning[];
};

/** A fetched manifest as the API shows it. */
export type ManifestVersionView = ManifestVersionRow & { warnings: ManifestWarning[] };

/** `pending`: the version waits for approval. */
export interface RefreshedAdapterView {
  adapter: AdapterView;
  version: ManifestVersionView;
  pending: boolean;
}

export function adapterView(row: AdapterRow): AdapterView {
  const { skill_told: _told, skill_credentials: _credentials, ...shown } = row;
  return { ...shown, name: row.name ?? row.manifest.name, warnings: manifestWarnings(row.manifest) };
}

export function manifestVersionView(row: ManifestVersionRow): ManifestVersionView {
  return { ...row, warnings: manifestWarnings(row.manifest) };
}
