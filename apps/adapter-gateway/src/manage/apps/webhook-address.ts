import type { Manifest } from '#libs/adapter-sdk';
import type { Principal } from '#libs/service-kit';
import type { AppRow } from '../../entities/app.entity.js';
import { capabilitiesOf } from '../../path/apps/installed-apps.js';
import type { TokenSeal } from '../webhook-tokens/token-seal.js';

/** Why the URL is not shown. */
export type AddressHidden = 'does_not_receive' | 'needs_apps_write' | 'sealed_with_another_key';

export interface WebhookAddress {
  webhook_token: string | null;
  webhook_path: string | null;
  webhook_url: string | null;
  webhook_hidden: AddressHidden | null;
}

/**
 * Where a provider sends to. Without a signature check, whoever has the URL can send as the provider, so it is shown
 * only to those who manage the App.
 * @param caller null for the platform itself
 */
export function webhookAddress(
  app: AppRow,
  manifest: Manifest | null,
  caller: Pick<Principal, 'scopes'> | null,
  { seal, publicUrl }: { seal: TokenSeal; publicUrl: string },
): WebhookAddress {
  if (!capabilitiesOf(app, manifest).includes('receive')) return hidden('does_not_receive');
  if (caller && !manages(caller)) return hidden('needs_apps_write');
  const token = seal.open(app.id, app.sealed_token);
  if (token === null) return hidden('sealed_with_another_key');
  const path = `/api/v1/webhooks/${token}`;
  return { webhook_token: token, webhook_path: path, webhook_url: `${publicUrl}${path}`, webhook_hidden: null };
}

function manages({ scopes }: Pick<Principal, 'scopes'>): boolean {
  return scopes.includes('apps:write') || scopes.includes('admin');
}

function hidden(reason: AddressHidden): WebhookAddress {
  return { webhook_token: null, webhook_path: null, webhook_url: null, webhook_hidden: reason };
}
