import { Inject, Injectable } from '@nestjs/common';
import { upstreams, type UpstreamUrls } from '../proxy/route-table.js';
import { SETTINGS } from '../settings.js';

export interface ServiceHealth {
  service: string;
  state: 'ready' | 'not ready' | 'no answer';
}

const keepMs = 5_000;
const timeoutMs = 1_500;

/** Which services report that they are ready, asked at most every 5 s. Only the operations port serves this. */
@Injectable()
export class ServicesHealth {
  private kept: { states: Promise<ServiceHealth[]>; untilMs: number } | null = null;

  constructor(@Inject(SETTINGS) private readonly urls: UpstreamUrls) {}

  read(): Promise<ServiceHealth[]> {
    if (!this.kept || this.kept.untilMs <= Date.now()) {
      const services = upstreams.map(({ audience, urlSetting }) => ({ service: audience, url: this.urls[urlSetting] }));
      const states = Promise.all(services.map(async ({ service, url }) => ({ service, state: await stateOf(url) })));
      this.kept = { states, untilMs: Date.now() + keepMs };
    }
    return this.kept.states;
  }
}

async function stateOf(url: string): Promise<ServiceHealth['state']> {
  try {
    const { ok } = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(timeoutMs) });
    return ok ? 'ready' : 'not ready';
  } catch {
    return 'no answer';
  }
}
