import { type ContentTrust, contentTrusts } from '#libs/contracts';
import { idOf, PageOf, PageQuery, Text, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { IsISO8601, IsOptional } from 'class-validator';
import type { ContactMemory } from '../../entities/compaction.entity.js';

export class MemoryQuery extends PageQuery {
  @Text(100, { optional: true, description: 'Of this contact' }) contact_id?: string;
  @Text(100, { optional: true, description: 'Of this agent' }) agent_id?: string;
}

export class ErasedContact {
  @Text(100, { minLength: 1, description: 'Everything that agents remember of this contact' }) contact_id: string;
}

export class MemoryChange {
  @Text(1_000, { optional: true, minLength: 1, description: 'In your words: it then counts as the project’s own' })
  text?: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    required: false,
    nullable: true,
    description: 'From then on nobody is shown it, and it is deleted; null: never',
  })
  @IsOptional()
  @IsISO8601({ strict: true, strictSeparator: true })
  expires_at?: string | null;
}

export class MemoryView {
  @ApiProperty(idOf('mem')) id: string;
  @ApiProperty(idOf('con')) contact_id: string;
  @ApiProperty({ ...idOf('agt'), description: 'The agent that remembers it; no other one is shown it' })
  agent_id: string;
  @ApiProperty() text: string;
  @ApiProperty({
    enum: contentTrusts,
    description: 'The least trust of what the agent was shown when it remembered it',
  })
  content_trust: ContentTrust;
  @ApiProperty({ ...idOf('trn'), description: 'The turn that remembered it; it may be past its retention' })
  turn_id: string;
  @ApiProperty({ ...idOf('evt'), description: 'The event that this turn answered' }) receipt_id: string;
  @ApiProperty(time) created_at: Date;
  @ApiProperty({ ...time, nullable: true }) expires_at: Date | null;
  @ApiProperty({ type: String, nullable: true, description: 'key:<id> or user:<id>; null: nobody' })
  corrected_by: string | null;
  @ApiProperty({ ...time, nullable: true }) corrected_at: Date | null;
}

export class MemoryPage extends PageOf(MemoryView) {}

export class ErasedMemories {
  @ApiProperty({ type: 'integer' }) deleted: number;
}

export function memoryView(memory: ContactMemory): MemoryView {
  const { id, contact_id, agent_id, text, content_trust, turn_id, receipt_id } = memory;
  const { created_at, expires_at, corrected_by, corrected_at } = memory;
  const times = { created_at, expires_at, corrected_by, corrected_at };
  return { id, contact_id, agent_id, text, content_trust, turn_id, receipt_id, ...times };
}
