import type { AttentionItem } from '#libs/contracts';
import { hasLeft, HeldProjects } from '#libs/journal';
import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Spool } from '../../path/receipts/spool.js';
import { HandedOnRepository } from '../moves/handed-on.repository.js';

/** A restart of the other installation is not worth anybody's attention. */
const waitsMs = 60_000;

/** For the portal, which merges the reports of all services. Refusals are reported by the router, from their counts. */
@ApiExcludeController()
@Controller('internal/attention')
@RequireScopes('service')
export class AttentionController {
  constructor(
    private readonly spool: Spool,
    private readonly holds: HeldProjects,
    private readonly handedOn: HandedOnRepository,
  ) {}

  @Get()
  async list(@Caller() caller: Principal): Promise<{ data: AttentionItem[] }> {
    return { data: [...this.spooled(), ...(await this.notHandedOn(caller))] };
  }

  /** Webhooks that the installation to which the caller's project has moved does not take. */
  private async notHandedOn(caller: Principal): Promise<AttentionItem[]> {
    const held = this.holds.of(caller.projectId);
    if (!held || !hasLeft(held.state)) return [];
    const { waiting, oldest_at: since } = await this.handedOn.waiting(caller);
    if (since === null || Date.now() - Date.parse(since) < waitsMs) return [];
    const item: AttentionItem = {
      code: 'webhooks_not_handed_on',
      severity: 'error',
      text: `${waiting} webhooks wait here for ${held.peer}, to which the project has moved.`,
      // Taken while Postgres or a process was away as the handing on ended.
      what_to_do: held.ended_at
        ? `Their handing on has ended: send each again to ${held.peer}. Their requests are with their events here.`
        : 'See whether that installation answers; the log of the portal here says what it answered.',
      resource: { kind: 'service', id: 'portal' },
      count: waiting,
      since,
      scope: 'events:read',
    };
    return [item];
  }

  private spooled(): AttentionItem[] {
    const { bytes } = this.spool;
    if (bytes === 0) return [];
    const item: AttentionItem = {
      code: 'webhooks_spooled',
      severity: 'warning',
      text: `Webhooks that came while Postgres did not answer are still on the disk of the webhook-ingress (${bytes} bytes).`,
      what_to_do: 'Keep that disk until they are moved: that begins by itself when Postgres answers.',
      resource: { kind: 'service', id: 'webhook-ingress' },
      count: 1,
      since: null,
      scope: 'events:read',
    };
    return [item];
  }
}
