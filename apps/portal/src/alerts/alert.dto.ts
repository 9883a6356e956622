import { idOf, OneOf, OrderedQuery, PageOf, Text, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { type Alert, type AlertKind, alertKinds } from './alert.entity.js';

const states = ['waiting', 'sent', 'failed'] as const;

export class AlertQuery extends OrderedQuery {
  @Text(100, { optional: true }) rule_id?: string;
  @OneOf(states, { optional: true }) state?: (typeof states)[number];
}

export class AlertView {
  @ApiProperty(idOf('alt')) id: string;
  @ApiProperty(idOf('alr')) rule_id: string;
  @ApiProperty({ description: 'As it was called then' }) rule_name: string;
  @ApiProperty({ enum: alertKinds }) kind: AlertKind;
  @ApiProperty({ enum: ['error', 'warning'] }) severity: 'error' | 'warning';
  @ApiProperty({ description: 'Code of attention, or `rate_` and its measure' }) code: string;
  @ApiProperty() cause: string;
  @ApiProperty() text: string;
  @ApiProperty() app_id: string;
  @ApiProperty() address: string;
  @ApiProperty({ enum: states, description: '`sent`: its App delivered it' }) state: (typeof states)[number];
  @ApiProperty({ type: String, nullable: true, description: 'Code: why it waits or failed' }) reason: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The same in words' }) error_detail: string | null;
  @ApiProperty({ ...idOf('dlv'), nullable: true }) delivery_id: string | null;
  @ApiProperty(time) since: Date;
  @ApiProperty(time) created_at: Date;
  @ApiProperty({ ...time, nullable: true }) ended_at: Date | null;

  static of(row: Alert): AlertView {
    const { id, rule_id, rule_name, kind, severity, code, cause, text, reason, error_detail, delivery_id } = row;
    const { since, created_at, ended_at, receiver } = row;
    const state = row.state === 'done' ? 'sent' : row.state === 'dead' ? 'failed' : 'waiting';
    return {
      id,
      rule_id,
      rule_name,
      kind,
      severity,
      code,
      cause,
      text,
      app_id: receiver.app_id,
      address: receiver.address,
      state,
      reason,
      error_detail,
      delivery_id,
      since,
      created_at,
      ended_at,
    };
  }
}

export class AlertPage extends PageOf(AlertView) {}

export class TestedAlerts {
  @ApiProperty({ type: [AlertView], description: 'One for each receiver' }) data: AlertView[];
}
