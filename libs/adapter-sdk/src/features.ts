/** What a message can have beyond its text, where the adapter's manifest lists it in `features`. */
export const FEATURES = ['edit', 'actions', 'files', 'reactions', 'typing'] as const;
export type Feature = (typeof FEATURES)[number];

/** The part of a manifest that says so. */
interface Offering {
  features?: readonly Feature[] | undefined;
  message?: { attachments?: boolean | undefined } | undefined;
}

/** Whether the manifest offers it. `message.attachments: true` is the earlier way to say `files`. */
export function offersFeature(manifest: Offering, feature: Feature): boolean {
  if (manifest.features?.includes(feature)) return true;
  return feature === 'files' && manifest.message?.attachments === true;
}

/**
 * How a message is shown that comes before an answer. `edited`: the answer takes its place. `once`: it stays, where somebody
 * watches, since it is shown that an answer is written. Null: not at all, as a mail is read when it is there.
 */
export function interimOf(manifest: Offering): 'edited' | 'once' | null {
  if (offersFeature(manifest, 'edit')) return 'edited';
  return offersFeature(manifest, 'typing') ? 'once' : null;
}
