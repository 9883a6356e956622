import { standardWebhooksKey } from '#libs/adapter-sdk';
import type { ProjectScope } from '#libs/contracts';
import { Problem } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { GrantSealer } from '../grants/grant-sealer.js';
import { Secret } from '../sealing/secret.js';
import type { NotificationTarget } from './notification-target.entity.js';
import { NotificationRepository } from './notification.repository.js';

const shortestSecretBytes = 24;

@Injectable()
export class NotificationTargetService {
  constructor(
    private readonly notifications: NotificationRepository,
    private readonly sealer: GrantSealer,
  ) {}

  /**
   * @param given `whsec_` and base64; null creates a new one
   * @returns the secret, which is shown only this once
   * @throws Problem 422 `invalid_notifications`
   */
  async put({ organizationId, projectId }: ProjectScope, url: string, given: string | null): Promise<string> {
    const errors = [
      ...(isReceiver(url) ? [] : [{ field: 'url', message: 'must be http(s), without user, password and fragment' }]),
      ...(given === null || isSigningSecret(given)
        ? []
        : [{ field: 'secret', message: `must be whsec_ and base64 of at least ${shortestSecretBytes} bytes` }]),
    ];
    if (errors.length > 0) {
      throw new Problem(422, 'invalid_notifications', 'The receiver of notifications is not valid.', errors);
    }
    const secret = given ?? `whsec_${randomBytes(32).toString('base64')}`;
    const owner = ownerOf(organizationId, projectId);
    const { kid, wrappedDek, value } = await this.sealer.seal(owner, secretRow, new Secret(secret));
    await this.notifications.putTarget({
      project_id: projectId,
      organization_id: organizationId,
      url,
      kid,
      wrapped_dek: wrappedDek,
      secret: value,
    });
    return secret;
  }

  /** @throws DoesNotOpen */
  secretOf({ organization_id, project_id, kid, wrapped_dek, secret }: NotificationTarget): Promise<Secret> {
    const sealed = { kid, wrappedDek: wrapped_dek, value: secret };
    return this.sealer.open(ownerOf(organization_id, project_id), secretRow, sealed);
  }
}

/** The id to which the secret is sealed. */
const secretRow = 'notification_secret';

/** The data key is the project's own. Others are wrapped for a credential, this one for the project. */
const ownerOf = (organizationId: string, projectId: string) => ({
  organization_id: organizationId,
  credential_id: projectId,
});

function isReceiver(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    ['http:', 'https:'].includes(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    url.hash === ''
  );
}

const isSigningSecret = (secret: string): boolean =>
  /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret) && standardWebhooksKey(secret).length >= shortestSecretBytes;
