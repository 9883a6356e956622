import { admin, asService, type VaultWorld } from './vault-world.js';

/** A vault's credentials, their bindings, and what a consumer gets of them. */
export class Bindings {
  private made = 0;

  constructor(private readonly vault: VaultWorld) {}

  /** @returns its id */
  async credential(body: object = { type: 'text', fields: { user: 'u', password: 'p', host: 'h' } }): Promise<string> {
    const named = { name: `credential ${(this.made += 1)}`, ...body };
    const answer = await this.vault.call('POST', 'credentials', named);
    if (answer.status !== 201) throw new Error(`The credential was not stored: ${JSON.stringify(answer.body)}`);
    return answer.body.id as string;
  }

  oauth(): Promise<string> {
    return this.credential({
      type: 'oauth2',
      grant: 'authorization_code',
      fields: { client_id: 'id', client_secret: 'cs', access_token: 'at', refresh_token: 'rt' },
    });
  }

  bind(id: string, body: object, as = admin) {
    return this.vault.call('POST', `credentials/${id}/bindings`, body, as);
  }

  /** Resolves as the App with that id. */
  resolveFor(credential_id: string, id: string, fields?: string[], as = asService('adapter-gateway')) {
    const body = { credential_id, fields, consumer: { kind: 'app', id } };
    return this.vault.internal('POST', 'credentials/resolve', body, as);
  }
}

/** The body that binds an App. */
export const app = (consumer_id: string) => ({ consumer_kind: 'app', consumer_id });
