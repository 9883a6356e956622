import { Caller, type Principal, Problem, RequireScopes, Text, TokenOnce, Whole } from '#libs/service-kit';
import { Body, Controller, Get, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { IsISO8601 } from 'class-validator';
import { KEY_BACKEND, type KeyBackend } from '../sealing/kek-ring.js';
import { KekSentinelRepository } from '../sealing/kek-sentinel.repository.js';
import { ServicePolicy } from '../service-policy/service-policy.js';
import { Resealer, type ResealProgress } from './resealer.js';
import { type RewrapProgress, Rewrapper } from './rewrapper.js';

export class RewrapRequest {
  @Text(200, { minLength: 1, description: 'The primary key; a replica with another one refuses' })
  to: string;
  @Whole(1, 5_000, { optional: true, description: 'Rows per transaction' }) batch: number = 500;
  @Whole(1, 10_000, { optional: true, description: 'After this no further batch starts, and the answer is sent' })
  budget_ms: number = 4_000;
}

export class ResealRequest {
  @IsISO8601() @Text(40, { description: 'Data keys made before it are replaced' }) before: string;
  @Text(100, { optional: true, description: 'cursor of the previous answer' }) cursor?: string;
  @Whole(1, 500, { optional: true }) batch: number = 100;
}

/** How many data keys each key wraps. A key with 0 that is not primary may be retired. */
interface KeyState {
  primary: string;
  keys: { kid: string; deks: number; in_ring: boolean }[];
}

@ApiTags('internal')
@Controller('internal/keys')
@TokenOnce()
@RequireScopes('service')
export class KeyController {
  constructor(
    @Inject(KEY_BACKEND) private readonly ring: KeyBackend,
    private readonly sentinels: KekSentinelRepository,
    private readonly rewrapper: Rewrapper,
    private readonly resealer: Resealer,
    private readonly policy: ServicePolicy,
  ) {}

  @Get()
  @ApiOperation({ summary: 'The key ring, and how many data keys each wraps', operationId: 'getKeys' })
  async get(@Caller() caller: Principal): Promise<KeyState> {
    this.policy.check(caller, 'keys');
    const counts = await this.sentinels.countByKid();
    const kids = [...new Set([...this.ring.kids, ...counts.keys()])].sort();
    const keys = kids.map((kid) => ({ kid, deks: counts.get(kid) ?? 0, in_ring: this.ring.kids.includes(kid) }));
    return { primary: this.ring.primary, keys };
  }

  @Post('rewrap')
  @HttpCode(200)
  @ApiOperation({ summary: 'Wrap data keys under the primary key, for some seconds', operationId: 'rewrapKeys' })
  rewrap(
    @Caller() caller: Principal,
    @Body() { to, batch, budget_ms: budgetMs }: RewrapRequest,
  ): Promise<RewrapProgress> {
    this.policy.check(caller, 'keys');
    // Otherwise a replica that was not restarted yet would wrap everything back under the old key.
    if (to !== this.ring.primary) {
      throw new Problem(
        409,
        'not_primary',
        `The primary key of this replica is ${this.ring.primary}, not ${to}: restart this replica.`,
      );
    }
    return this.rewrapper.run(batch, budgetMs);
  }

  @Post('reseal')
  @HttpCode(200)
  @ApiOperation({ summary: 'Seal a batch of credentials under new data keys', operationId: 'resealCredentials' })
  reseal(@Caller() caller: Principal, @Body() { before, cursor, batch }: ResealRequest): Promise<ResealProgress> {
    this.policy.check(caller, 'keys');
    return this.resealer.run(new Date(before), cursor ?? '', batch);
  }
}
