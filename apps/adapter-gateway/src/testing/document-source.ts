import { type Json, until } from '#libs/testing';
import type { SourceDocumentView } from '../sources/source-view.dto.js';
import type { GatewayWorld } from './gateway-world.js';

/** A document source with an App of its own, as the API shows it. */
export class DocumentSource {
  private constructor(
    private readonly world: GatewayWorld,
    readonly id: string,
    readonly adapterId: string,
  ) {}

  /** Registers the provider's adapter, installs it, and adds the source. */
  static async of(world: GatewayWorld, provider: { url: string }): Promise<DocumentSource> {
    const adapter = (await world.call('POST', 'adapters', { url: provider.url })).body;
    const app = (await world.call('POST', `listings/${adapter.slug}/install`, {})).body;
    const made = await world.call('POST', 'sources', { app_id: app.id, name: 'Docs', resource_path: 'root' });
    if (made.status !== 201) throw new Error(`The source was not added: ${JSON.stringify(made.body)}`);
    return new DocumentSource(world, made.body.id, adapter.id);
  }

  async runs() {
    return (await this.world.call('GET', `sources/${this.id}/runs`)).body.data;
  }

  /** Synchronises, and waits for the end. @returns the run */
  async synced() {
    const { status, body } = await this.world.call('POST', `sources/${this.id}/sync`);
    if (status !== 202) throw new Error(`It was not synchronised: ${JSON.stringify(body)}`);
    return until('the run has ended', async () => {
      const run = (await this.world.call('GET', `sources/${this.id}/runs/${body.id}`)).body;
      return run.finished_at ? run : null;
    });
  }

  /** The documents of all pages. @param query begins with an ampersand */
  async documents(query = '') {
    const all: Json<SourceDocumentView>[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const after: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
      const { body } = await this.world.call('GET', `sources/${this.id}/documents?limit=200${query}${after}`);
      all.push(...body.data);
      cursor = body.next_cursor;
    }
    return all;
  }

  /** The paths of its current documents. */
  async current(): Promise<string[]> {
    return (await this.documents('&state=current')).map(({ path }) => path);
  }
}
