import { idDigits, type ReplyWithheld, type RequestFacts, type TextFrom, textSources } from '#libs/contracts';
import { LaggingPageOf } from '#libs/list-reads';
import { anyObject, idOf, time } from '#libs/service-kit';
import { NormalizedMessageView } from '#libs/views';
import { ApiProperty } from '@nestjs/swagger';
import type { ChiefOfStaffVerdict, MessageRow, Verdict } from '../../entities/message.entity.js';

/** For `@ApiProperty`: the App that a message came through; a run started by the API has none. */
export const messageSource = {
  type: String,
  pattern: `^(?:app_|api:prj_|schedule:sch_|callers:prj_)${idDigits('app', 'prj', 'sch')}$`,
  description:
    'The App; `api:<project>` for a run that was started by the API, `schedule:<id>` for one of a schedule, `callers:<project>` where a published agent was asked',
} as const;

export class VerdictView implements Verdict {
  @ApiProperty(idOf('trg')) trigger_id: string;
  @ApiProperty({ type: 'integer' }) workflow_id: number;
  @ApiProperty({ enum: ['matched', 'filtered', 'rate_limited', 'suspended', 'filter_error', 'off'] })
  verdict: Verdict['verdict'];
  @ApiProperty({ type: String, nullable: true }) reason: string | null;
}

class RequestFactsView implements RequestFacts {
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, description: 'By lower-case name' })
  headers: Record<string, string>;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } }) query: Record<string, string>;
}

export class MessageView implements MessageRow {
  @ApiProperty(idOf('msg')) id: string;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty(messageSource) app_id: string;
  @ApiProperty({ ...idOf('evt'), description: 'The event that contained it' }) receipt_id: string;
  @ApiProperty({ description: 'Whether its signature was checked' }) verified: boolean;
  @ApiProperty({ enum: textSources, description: 'Who wrote the text, as its App said; people if it did not say' })
  text_from: TextFrom;
  @ApiProperty({ type: NormalizedMessageView }) message: NormalizedMessageView;
  @ApiProperty({
    type: RequestFactsView,
    nullable: true,
    description: 'What filters can read of the request: without secrets; null: there was none',
  })
  request: RequestFactsView | null;
  @ApiProperty({ description: 'Outcome of its routing' }) outcome: string;
  @ApiProperty({ type: String, nullable: true }) reason: string | null;
  @ApiProperty({ type: [VerdictView] }) verdicts: VerdictView[];
  @ApiProperty({ type: 'integer', description: 'How many more triggers than those in `verdicts` filtered it out' })
  unlisted_verdicts: number;
  @ApiProperty({ enum: ['builtin', 'adapter'] }) app_kind: 'builtin' | 'adapter';
  @ApiProperty({ description: 'Whether the App could deliver a reply when the message arrived' }) app_sends: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      "`taken`; `off`: disabled by the channel; `trigger_took_it`: the channel's policy leaves it only what no trigger takes; otherwise the kind of machine that wrote it. Null: it was not asked",
  })
  chief_of_staff: ChiefOfStaffVerdict;
  @ApiProperty({ type: String, nullable: true, description: 'Why no reply is sent' })
  reply_withheld: ReplyWithheld | null;
  @ApiProperty({ ...idOf('con'), nullable: true }) contact_id: string | null;
  @ApiProperty({ ...anyObject, nullable: true, description: 'What the sanitiser changed; null: nothing' })
  sanitizer_report: Record<string, unknown> | null;
  @ApiProperty({ ...time, nullable: true, description: 'When it was released' }) released_at: Date | null;
  @ApiProperty({ type: String, nullable: true }) released_by: string | null;
  @ApiProperty(time) created_at: Date;
}

export class MessagePage extends LaggingPageOf(MessageView) {}

/** Messages that were released, and the runs that they started. */
export class ReleasedView {
  @ApiProperty({ type: [String] }) released: string[];
  @ApiProperty({ type: [String] }) run_ids: string[];
}
