import type { CredentialDeclaration, Manifest } from '#libs/adapter-sdk';
import { sanitizeName } from '#libs/sanitizer';
import { signingSecret } from '../../path/apps/app-credentials.js';
import type { AdapterRow } from '../../entities/app.entity.js';

/** What Settings → Integrations offers to install. */
export interface Listing {
  slug: string;
  kind: 'builtin' | 'adapter' | 'skill';
  name: string;
  description: string;
  icon: string | null;
  category: string;
  capabilities: Manifest['capabilities'];
  credentials: CredentialDeclaration[];
  setup_instructions: string[];
  author: NonNullable<Manifest['author']> | null;
  skill: NonNullable<Manifest['skill']> | null;
  /** Whether the App's consent is given through an OAuth flow. */
  oauth: boolean;
  /** Whether the provider sends events for a limited time, and then has to be asked again. */
  renews_webhook: boolean;
  /** Its events can be fetched from the provider. */
  can_fetch: boolean;
  /** A chat for pages of one's own: Gatehouse keeps its conversations. */
  web_chat: boolean;
  sends_mail: boolean;
  /** Null for the built-in App, and for a shipped adapter that the project has not registered: installing it does that. */
  adapter: {
    id: string;
    state: AdapterRow['state'];
    disabled: boolean;
    version: string | null;
    manifest_version: number;
  } | null;
  /** The project's App of it. */
  app_id: string | null;
}

export const builtinListing: Listing = {
  slug: 'webhook',
  kind: 'builtin',
  name: 'Webhook',
  description: 'Sends and receives HTTP requests; needs no adapter.',
  icon: 'webhook',
  category: 'Integration',
  capabilities: ['send', 'receive'],
  credentials: [signingSecret],
  setup_instructions: ['Install it, and give its webhook URL to whoever is to send.'],
  author: null,
  skill: null,
  oauth: false,
  renews_webhook: false,
  can_fetch: false,
  web_chat: false,
  sends_mail: false,
  adapter: null,
  app_id: null,
};

/** An adapter that is shipped, and not registered in the project. */
export const shippedListing = (manifest: Manifest): Listing => ({
  ...declared(manifest),
  slug: manifest.slug,
  kind: 'adapter',
  adapter: null,
  app_id: null,
});

export function listingOf(row: AdapterRow, appId: string | null): Listing {
  const facts = declared(row.manifest);
  return {
    ...facts,
    slug: row.slug,
    kind: row.base_url === null ? 'skill' : 'adapter',
    name: row.name ?? facts.name,
    adapter: {
      id: row.id,
      state: row.state,
      disabled: row.disabled,
      version: row.version,
      manifest_version: row.manifest_version,
    },
    app_id: appId,
  };
}

function declared(manifest: Manifest): Omit<Listing, 'slug' | 'kind' | 'adapter' | 'app_id'> {
  return {
    name: sanitizeName(manifest.name) || manifest.slug,
    description: manifest.description,
    icon: manifest.icon ?? null,
    category: sanitizeName(manifest.category),
    capabilities: manifest.capabilities,
    credentials: manifest.credentials.map((one) => ({ ...one, label: sanitizeName(one.label) || one.key })),
    setup_instructions: manifest.setup_instructions ?? [],
    author: manifest.author ? { ...manifest.author, ...named(manifest.author.name) } : null,
    skill: manifest.skill ? { ...manifest.skill, ...named(manifest.skill.name) } : null,
    oauth: manifest.oauth_config !== undefined,
    renews_webhook: manifest.webhook?.renew_seconds !== undefined,
    can_fetch: manifest.connect !== undefined,
    web_chat: manifest.message?.mailbox === true,
    sends_mail: manifest.message?.mail === true && manifest.capabilities.includes('send'),
  };
}

/** A name as people see it, as everywhere; a manifest keeps what its author wrote. */
const named = (name: string | undefined) => (name === undefined ? {} : { name: sanitizeName(name) });
