import { Sweeper } from '#libs/database';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type RegistrySettings, SETTINGS } from '../settings.js';
import { Connections } from './connections.js';
import { SessionRepository } from './session.repository.js';

/** Ends the sessions that processes left which are gone, and forgets old ones. */
@Injectable()
export class SessionSweep implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly sweepers: Sweeper[];

  constructor(connections: Connections, sessions: SessionRepository, @Inject(SETTINGS) settings: RegistrySettings) {
    const { MCP_SESSION_SWEEP_MS: everyMs, MCP_SESSION_DAYS: days } = settings;
    const dropOld = (limit: number): Promise<number> => sessions.dropOld(days, limit);
    this.sweepers = [
      new Sweeper({ name: 'mcp-idle-sessions', everyMs, batch: 20, sweep: (limit) => connections.endIdle(limit) }),
      new Sweeper({ name: 'mcp-old-sessions', everyMs, batch: 1_000, sweep: dropOld }),
    ];
  }

  onApplicationBootstrap(): void {
    for (const sweeper of this.sweepers) sweeper.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.sweepers.map((sweeper) => sweeper.stop()));
  }
}
