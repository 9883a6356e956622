import { notFound, type Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { BindingService } from '../bindings/binding.service.js';
import type { ConsumerKind } from '../credential-store/credential-binding.entity.js';
import { CredentialRepository } from '../credential-store/credential.repository.js';
import { CredentialService } from '../credentials/credential.service.js';
import { ClientMetadata } from '../oauth/client-metadata.js';
import { GrantSetup } from '../oauth/grant-setup.service.js';
import type {
  ChangeManagedCredential,
  CreateManagedCredential,
  ManagedCredentialView,
} from './managed-credential.dto.js';

export interface Managed {
  kind: ConsumerKind;
  id: string;
}

/** Placeholder until the provider assigns one. */
const noClientYet = 'not-registered-yet';

/**
 * oauth2 credentials that a service creates and may change: only its own, each for its own consumer. A credential that
 * a person created stays theirs, even if it is bound to the same consumer.
 */
@Injectable()
export class ManagedCredentialService {
  constructor(
    private readonly rows: CredentialRepository,
    private readonly credentials: CredentialService,
    private readonly bindings: BindingService,
    private readonly setup: GrantSetup,
    private readonly documents: ClientMetadata,
  ) {}

  /** Creates and binds it. If its configuration is invalid, nothing of it remains. @throws Problem 409, 422 */
  async create(caller: Principal, consumer: Managed, body: CreateManagedCredential): Promise<ManagedCredentialView> {
    const asked = { name: body.name, type: 'oauth2', grant: 'authorization_code' } as const;
    const { id } = await this.credentials.create(
      caller,
      { ...asked, fields: { client_id: noClientYet } },
      { managedFor: markOf(consumer), reason: `for ${body.requested_by}` },
    );
    try {
      const { provider_slug: slug } = await this.setup.configure(caller, id, { slug: null, inline: body.config });
      await this.bindings.bind(caller, { credential_id: id, consumer });
      return { id, redirect_uri: this.setup.redirectUri(slug), client_metadata_url: this.documents.urlOf(slug) };
    } catch (error) {
      await this.credentials.delete(caller, id, true);
      throw error;
    }
  }

  /** Sets its client. @throws Problem 404 `credential_not_found` for one that is not managed for this consumer */
  async change(caller: Principal, consumer: Managed, id: string, body: ChangeManagedCredential): Promise<void> {
    await this.require(caller, consumer, id);
    const { client_id, client_secret = null, config, requested_by } = body;
    await this.setup.configure(caller, id, { slug: null, inline: config });
    await this.credentials.update(caller, id, { fields: { client_id, client_secret } }, `for ${requested_by}`);
  }

  /**
   * Deletes it together with its consumer's bindings. Its tokens are revoked at the provider.
   * @throws Problem 404 as `change`, 409 `credential_in_use` when something else uses it
   */
  async remove(caller: Principal, consumer: Managed, id: string): Promise<void> {
    await this.require(caller, consumer, id);
    await this.bindings.unbind(caller, consumer.kind, consumer.id);
    await this.credentials.delete(caller, id, false);
  }

  private async require(caller: Principal, consumer: Managed, id: string): Promise<void> {
    const row = await this.rows.find(caller, id);
    if (row?.managed_for !== markOf(consumer)) throw notFound('credential', id);
  }
}

const markOf = ({ kind, id }: Managed): string => `${kind}:${id}`;
