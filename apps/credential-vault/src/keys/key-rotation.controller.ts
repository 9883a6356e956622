import { Caller, type Principal, RequireScopes } from '#libs/service-kit';
import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { KEY_BACKEND, type KeyBackend } from '../sealing/kek-ring.js';
import { KekSentinelRepository } from '../sealing/kek-sentinel.repository.js';

class WrappingKeyView {
  @ApiProperty({ description: 'Its name in the key ring' }) kid: string;
  @ApiProperty({ type: 'integer', description: "Data keys of the caller's organization that it wraps" })
  data_keys: number;
  @ApiProperty({ description: 'Whether the vault has it. Data keys wrapped by a missing key cannot be opened' })
  in_ring: boolean;
  @ApiProperty({ description: 'Whether it wraps new data keys' }) primary: boolean;
}

class KeyRotationView {
  @ApiProperty({ type: [WrappingKeyView] }) keys: WrappingKeyView[];
  @ApiProperty({
    type: 'integer',
    description: 'Data keys not wrapped by the primary key; 0: the rotation is complete',
  })
  left: number;
}

/** The progress of a rotation of the key encryption key, for the caller's organization. */
@ApiTags('key-rotation')
@Controller('api/v1/key-rotation')
export class KeyRotationController {
  constructor(
    @Inject(KEY_BACKEND) private readonly ring: KeyBackend,
    private readonly sentinels: KekSentinelRepository,
  ) {}

  @Get()
  @RequireScopes('credentials:read')
  @ApiOperation({ summary: 'Which keys wrap the data keys of the organization', operationId: 'getKeyRotation' })
  @ApiOkResponse({ type: KeyRotationView })
  async get(@Caller() { organizationId }: Principal): Promise<KeyRotationView> {
    const counts = await this.sentinels.countByKid(organizationId);
    const kids = [...new Set([...this.ring.kids, ...counts.keys()])].sort();
    const keys = kids.map((kid) => ({
      kid,
      data_keys: counts.get(kid) ?? 0,
      in_ring: this.ring.kids.includes(kid),
      primary: kid === this.ring.primary,
    }));
    const left = keys.filter(({ primary }) => !primary).reduce((sum, { data_keys: count }) => sum + count, 0);
    return { keys, left };
  }
}
