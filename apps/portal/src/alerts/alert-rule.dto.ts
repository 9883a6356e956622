import {
  Flag,
  idOf,
  MayBeAbsent,
  Name,
  NestedList,
  OneOf,
  PageOf,
  Text,
  TextList,
  time,
  Whole,
} from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsObject, ValidateIf, ValidateNested } from 'class-validator';
import type { AlertRule, QuietHours, RateBound, Receiver } from './alert-rule.entity.js';
import { rateMeasures } from './alert-rule.entity.js';

const mostReceivers = 5;

export class GivenReceiver {
  @Text(100, { minLength: 1, description: 'An App that sends' }) app_id: string;
  @Text(2_000, {
    minLength: 1,
    description: 'As its channel has one: a channel, a chat, a mail address; of the Webhook app a URL',
  })
  address: string;
}

export class QuietHoursDto implements QuietHours {
  @Text(5, { minLength: 5, description: 'HH:MM' }) from: string;
  @Text(5, { minLength: 5, description: 'HH:MM; before `from`: over midnight' }) to: string;
  @Text(64, { minLength: 1, description: 'IANA name: Europe/Berlin' }) time_zone: string;
  @Flag({ description: 'Saturday and Sunday too, all day' }) weekends: boolean;
}

export class RateBoundDto implements RateBound {
  @OneOf(rateMeasures) measure: RateBound['measure'];
  @Whole(0, 99, { description: 'A larger share alerts' }) over_percent: number;
  @Whole(1, 120, { description: 'Of the messages of the last minutes' }) minutes: number;
  @Whole(1, 10_000, { description: 'Fewer messages say nothing' }) at_least: number;
}

/** An optional object that may be null. */
function NestedOrNull(type: new () => object, description: string): PropertyDecorator {
  return (target, key) => {
    ApiProperty({ type, nullable: true, required: false, description })(target, key);
    MayBeAbsent()(target, key);
    ValidateIf((_, value: unknown) => value !== undefined && value !== null)(target, key);
    IsObject()(target, key);
    ValidateNested()(target, key);
    Type(() => type)(target, key);
  };
}

class AlertRuleOptions {
  @Flag({ optional: true }) enabled?: boolean;
  @TextList(50, 60, { optional: true, nullable: true, description: 'Codes of attention; empty: any' })
  codes?: string[] | null;
  @NestedOrNull(RateBoundDto, 'Instead of codes') rate?: RateBoundDto | null;
  @NestedOrNull(QuietHoursDto, 'Nothing is sent in these; null: at any time') quiet?: QuietHoursDto | null;
  @Whole(0, 1_440, { optional: true, description: 'How long a cause lasts before it alerts' }) after_minutes?: number;
  @Whole(5, 10_080, { optional: true, description: 'First pause before `still`; it doubles' }) still_minutes?: number;
}

export class ChangeAlertRule extends AlertRuleOptions {
  @Name(100, { optional: true }) name?: string;
  @NestedList(GivenReceiver, mostReceivers, { optional: true }) receivers?: GivenReceiver[];
}

export class CreateAlertRule extends AlertRuleOptions {
  @Name(100) name: string;
  @NestedList(GivenReceiver, mostReceivers) receivers: GivenReceiver[];
}

export class MuteRule {
  @Whole(0, 720, { description: '0 ends it' }) hours: number;
}

class ReceiverView extends GivenReceiver implements Receiver {
  @ApiProperty({ enum: ['builtin', 'adapter'] }) kind: Receiver['kind'];
}

export class AlertRuleView {
  @ApiProperty(idOf('alr')) id: string;
  @ApiProperty() name: string;
  @ApiProperty() enabled: boolean;
  @ApiProperty({ type: [String], nullable: true, description: 'Codes of attention; empty: any' }) codes:
    string[] | null;
  @ApiProperty({ type: RateBoundDto, nullable: true }) rate: RateBound | null;
  @ApiProperty({ type: [ReceiverView] }) receivers: Receiver[];
  @ApiProperty({ type: QuietHoursDto, nullable: true }) quiet: QuietHours | null;
  @ApiProperty({ type: 'integer' }) after_minutes: number;
  @ApiProperty({ type: 'integer' }) still_minutes: number;
  @ApiProperty({ ...time, nullable: true }) muted_until: Date | null;
  @ApiProperty(time) created_at: Date;
  @ApiProperty(time) updated_at: Date;

  static of({ organization_id: _organization, project_id: _project, ...shown }: AlertRule): AlertRuleView {
    return shown;
  }
}

export class AlertRulePage extends PageOf(AlertRuleView) {}
