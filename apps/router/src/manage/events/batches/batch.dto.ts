import type { BatchProgress } from '#libs/journal';
import { idOf, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import type { BatchBegun } from './batch.service.js';

class BatchFailure {
  @ApiProperty() id: string;
  @ApiProperty() error: string;
}

class BatchOutcome {
  @ApiProperty({ description: "How its redrive ended, or the letter's state" }) outcome: string;
  @ApiProperty({ type: 'integer' }) count: number;
}

export class BatchView implements BatchProgress {
  @ApiProperty(idOf('bat')) id: string;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty({ enum: ['replay', 'redrive'] }) kind: BatchProgress['kind'];
  @ApiProperty({ description: 'Whether a replay sends replies' }) deliver: boolean;
  @ApiProperty() created_by: string;
  @ApiProperty(time) created_at: Date;
  @ApiProperty({ enum: ['running', 'finished'] }) state: BatchProgress['state'];
  @ApiProperty({ type: 'integer' }) total: number;
  @ApiProperty({ type: 'integer' }) done: number;
  @ApiProperty({ type: 'integer' }) failed: number;
  @ApiProperty({ type: 'integer' }) cancelled: number;
  @ApiProperty({ type: [BatchFailure], description: 'The first items that failed' }) failures: BatchFailure[];
  @ApiProperty({
    type: [BatchOutcome],
    description: 'Of a redrive: what became of its letters so far, the most frequent first; `redriving`: not known yet',
  })
  became: BatchOutcome[];
}

export class BegunBatchView extends BatchView implements BatchBegun {
  @ApiProperty({ description: 'Whether more items match than one batch takes' }) more: boolean;
}
