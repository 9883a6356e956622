import { type Audience, type CallerClient, type Principal, ServiceClient, ServiceTokens } from '#libs/service-kit';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { audienceOf, upstreams } from '../proxy/route-table.js';
import { type PortalSettings, SETTINGS } from '../settings.js';

/** Longer than other calls: a Python tool is compiled before it is answered. */
const timeoutMs = 8_000;
/** Of a list that is looked through for a name. */
const mostPages = 50;

interface Page<Row> {
  data: Row[];
  next_cursor: string | null;
}

/** The management API as a caller sees it, from within the portal: each service checks the caller's scopes. */
export class CallerApi {
  constructor(private readonly clientOf: (audience: Audience) => CallerClient) {}

  /** @param path below `/api/v1/`: `agents?limit=1` @throws Problem as the service answers */
  get<T>(path: string): Promise<T> {
    return this.of(path).get(`/api/v1/${path}`);
  }

  /** @throws Problem as the service answers */
  post<T>(path: string, body: object): Promise<T> {
    return this.of(path).post(`/api/v1/${path}`, body);
  }

  /** @throws Problem as the service answers */
  patch<T>(path: string, body: object): Promise<T> {
    return this.of(path).patch(`/api/v1/${path}`, body);
  }

  /** The first row of a list that fits, or null. @param list that takes `limit` and `cursor` */
  async find<Row>(list: string, fits: (row: Row) => boolean): Promise<Row | null> {
    let cursor: string | null = null;
    for (let page = 0; page < mostPages; page += 1) {
      const query: string = `limit=200${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
      const rows: Page<Row> = await this.get<Page<Row>>(`${list}${list.includes('?') ? '&' : '?'}${query}`);
      const found = rows.data.find(fits);
      if (found !== undefined) return found;
      if (rows.next_cursor === null) return null;
      cursor = rows.next_cursor;
    }
    return null;
  }

  private of(path: string): CallerClient {
    return this.clientOf(audienceOf(`/api/v1/${path.split('?', 1)[0]}`));
  }
}

/** The services behind the portal, for calls in the name of somebody. */
@Injectable()
export class ProjectServices implements OnModuleDestroy {
  private readonly clients: ReadonlyMap<Audience, ServiceClient>;

  constructor(@Inject(SETTINGS) settings: PortalSettings, tokens: ServiceTokens) {
    this.clients = new Map(
      upstreams.map(({ audience, urlSetting }) => [
        audience,
        new ServiceClient(audience, settings[urlSetting], tokens, timeoutMs),
      ]),
    );
  }

  as(caller: Principal): CallerApi {
    return new CallerApi((audience) => {
      const client = this.clients.get(audience);
      if (!client) throw new Error(`${audience} is no service behind the portal`);
      return client.as(caller);
    });
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all([...this.clients.values()].map((client) => client.close()));
  }
}
