import type { AttentionItem } from '#libs/contracts';
import { RequireScopes } from '#libs/service-kit';
import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Spool } from '../../path/receipts/spool.js';

/** For the portal, which merges the reports of all services. Refusals are reported by the router, from their counts. */
@ApiExcludeController()
@Controller('internal/attention')
@RequireScopes('service')
export class AttentionController {
  constructor(private readonly spool: Spool) {}

  @Get()
  list(): { data: AttentionItem[] } {
    const { bytes } = this.spool;
    if (bytes === 0) return { data: [] };
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
    return { data: [item] };
  }
}
