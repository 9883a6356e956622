import { defineAdapter, type AdapterDefinition } from '#libs/adapter-sdk';
import { fetchFile } from './fetch-file.js';
import { listChanges, type ListingSettings } from './list-changes.js';
import { S3_MAX_FILE_BYTES, s3Manifest } from './s3.manifest.js';
import { verifyKeys } from './verify-keys.js';

type S3Settings = Pick<ListingSettings, 'fetch' | 'timeoutMs'> & Partial<ListingSettings> & { maxFileBytes?: number };

/** A document source over S3. `fetch` must be guarded: a user types the endpoint. */
export function createS3Adapter({ maxFileBytes = S3_MAX_FILE_BYTES, ...given }: S3Settings): AdapterDefinition {
  const settings = { pageSize: 1_000, pagesPerCall: 10, ...given };
  return defineAdapter({
    manifest: { ...s3Manifest, sources: { max_file_bytes: maxFileBytes } },
    verify: (call) => verifyKeys(call, settings),
    sources: {
      listChanges: (call) => listChanges(call, settings),
      fetchFile: (call) => fetchFile(call, { ...settings, maxFileBytes }),
    },
  });
}
