import { AsGiven, idOf, JsonObject, Name, Text, TextList } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { IsArray } from 'class-validator';
import { InstallationAddress } from './installation-address.js';

export class BeginMove {
  @Text(100, { description: 'The project; it is closed, and its webhooks wait' }) project_id: string;
  @InstallationAddress({ description: 'Address of the other installation: webhooks are handed on to it' }) to: string;
}

export class CheckArrival {
  @Text(100, { minLength: 1, description: 'The project, whose id stays' }) project_id: string;
  @Text(100, { minLength: 1, description: 'Its organization, which is made if it is not here' })
  organization_id: string;
  @InstallationAddress({ description: 'Address of the installation that it comes from' }) from: string;
}

export class ReceiveMove extends CheckArrival {
  @Name(200, { description: 'How the organization is called, if it is made' }) organization_name: string;
  @JsonObject({ description: 'Public key with which that installation signs webhooks that it hands on (JWK)' })
  hand_on_key: Record<string, unknown>;
}

export class AskRows {
  @Text(100, { description: 'The service that has the table' }) service: string;
  @Text(100, { description: 'The table, with its schema' }) table: string;
  @Text(10_000, { nullable: true, description: '`next` of the page before; null: the first page' }) after:
    string | null;
  @Text(10_000, {
    optional: true,
    nullable: true,
    description: '`last` of a table that grows, from before the copy: what is added since is left out; null: all rows',
  })
  upto?: string | null;
  @JsonObject({ description: 'Public key of the other vault, for which data keys are sealed (JWK)' })
  recipient: Record<string, unknown>;
}

const cells = {
  type: 'array',
  items: { type: 'array', items: { type: 'string', nullable: true } },
  description: 'The rows: each value as Postgres writes it',
} as const;

export class RowsView {
  @ApiProperty({ type: [String], description: 'Names of the columns' }) columns: string[];
  @ApiProperty(cells) rows: (string | null)[][];
  @ApiProperty({ type: String, nullable: true, description: '`after` of the next page; null: there are no more rows' })
  next: string | null;
}

export class GiveRows {
  @Text(100, { description: 'The service that has the table' }) service: string;
  @Text(100, { description: 'The table, with its schema' }) table: string;
  @TextList(2_000, 100, { description: 'Names of the columns' }) columns: string[];
  @IsArray() @IsArray({ each: true }) @AsGiven() @ApiProperty(cells) rows: (string | null)[][];
}

class MovedTableView {
  @ApiProperty({ description: 'The service that has it' }) service: string;
  @ApiProperty({ description: 'Its name, with its schema' }) table: string;
  @ApiProperty({ type: 'integer', description: 'Rows of the project' }) rows: number;
  @ApiProperty({ description: 'Rows end by age only: where they arrive there may be more of them' }) ages: boolean;
  @ApiProperty({ description: 'Rows are added while it moves: where they arrive there are as many as before, or more' })
  grows: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Of one that grows: the key of its last row, as `upto` of its pages; null: it does not, or has none',
  })
  last: string | null;
}

class OpenWorkView {
  @ApiProperty({ description: 'The service that does it' }) service: string;
  @ApiProperty({ description: 'What has not ended' }) what: string;
  @ApiProperty({ type: 'integer', description: 'How many' }) count: number;
}

class StayingView {
  @ApiProperty({ description: 'The table whose rows stay' }) table: string;
  @ApiProperty({ description: 'Why' }) why: string;
}

class HandingOnView {
  @ApiProperty({ type: 'integer', description: 'Webhooks that the other installation has not taken; at most 10,000' })
  waiting: number;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When the oldest of them came' })
  oldest_at: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When the last webhook came here' })
  last_received_at: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Since when they are refused here; null: they are taken',
  })
  refused_at: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Since when nothing is handed on, and the key for it may be revoked there; null: it is',
  })
  ended_at: string | null;
}

export class HandOnReceipts {
  @IsArray()
  @AsGiven()
  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'The requests, exactly as they were received, oldest first; another installation writes them',
  })
  receipts: unknown[];
}

class BuildView {
  @ApiProperty({ description: 'A digest of what was built' }) build: string;
  @ApiProperty({ type: [String], description: 'Services of which a process of this build runs' }) services: string[];
}

const ofBuilds = 'Builds of which processes run here, oldest first. No move begins while there is more than one';

const moveStates = ['here', 'leaving', 'aborting', 'left', 'ending', 'arriving'] as const;

export class MoveView {
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty({ type: String, nullable: true, description: 'Name of the organization; null: it is not here' })
  organization_name: string | null;
  @ApiProperty({
    enum: [...moveStates],
    description:
      '`here`: it does not move. `leaving`: it is held and copied. `aborting`: what has arrived there is deleted, then it ' +
      'goes on here. `left`: the other installation has it. `ending`: that, and its webhooks are refused here. ' +
      '`arriving`: it is copied to this one',
  })
  state: (typeof moveStates)[number];
  @ApiProperty({
    type: Boolean,
    description: 'Whether the project is closed; false: it is open, or its row is not here yet',
  })
  closed: boolean;
  @ApiProperty({ type: String, nullable: true, description: 'The other installation' }) peer: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Since when it is held' })
  held_at: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Who began the move' }) held_by: string | null;
  @ApiProperty({ description: 'Every process has heard of the hold: it may be copied once nothing is open' })
  settled: boolean;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'Where it leaves: its private half signs the webhooks that are handed on (JWK)',
  })
  hand_on_key: Record<string, unknown> | null;
  @ApiProperty({
    type: HandingOnView,
    nullable: true,
    description: 'Of one that has left: webhooks that still come here',
  })
  handing_on: HandingOnView | null;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'By service: a digest of its tables, which is equal in installations of one release',
  })
  shapes: Record<string, string>;
  @ApiProperty({ type: [BuildView], description: ofBuilds }) builds: BuildView[];
  @ApiProperty({ type: [MovedTableView], description: 'What moves, in the order in which it is stored' })
  tables: MovedTableView[];
  @ApiProperty({ type: [OpenWorkView], description: 'What has to end before it is copied; empty: it is at rest' })
  open: OpenWorkView[];
  @ApiProperty({ type: [StayingView], description: 'What does not move' }) stays: StayingView[];
}

export class ArrivalCheckView {
  @ApiProperty({ description: 'It has left here, and comes back: what it had left is deleted first' })
  comes_back: boolean;
}

export class StoredView {
  @ApiProperty({ type: 'integer', description: 'Rows of this page' }) stored: number;
}

export class SwitchedView {
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty({
    enum: ['left', 'here'],
    description: '`left`: the other installation has it. `here`: it is open here',
  })
  state: 'left' | 'here';
}

export class ArrivalKeyView {
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Public key of this vault (JWK), for which others seal',
  })
  public_key: Record<string, unknown>;
  @ApiProperty({ description: 'Its thumbprint (RFC 7638), which MOVE_TARGET_KEYS of the other installation names' })
  thumbprint: string;
  @ApiProperty({ type: String, nullable: true, description: 'Key that asks, which MOVE_ACCEPTS names; null: a member' })
  key_id: string | null;
  @ApiProperty({ type: [String], description: 'Organizations whose projects this key may bring (MOVE_ACCEPTS)' })
  accepts: string[];
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'By service: a digest of its tables, which is equal in installations of one release',
  })
  shapes: Record<string, string>;
  @ApiProperty({ type: [BuildView], description: ofBuilds }) builds: BuildView[];
}
