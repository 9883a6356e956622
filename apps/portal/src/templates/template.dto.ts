import { toolGrades, type ToolGrade } from '#libs/contracts';
import { idOf, PageOf } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import type { OpenStep, StepPlace } from './open-steps.js';
import type { OpenStepKind } from './template.js';
import { type PartKind, partKinds } from './template-parts.js';

const partStates = ['missing', 'there', 'made', 'failed'] as const;
export type PartState = (typeof partStates)[number];
const needKinds = ['model', 'approver', 'credential', 'sender', 'reply_address', 'channel', 'knowledge'] as const;

/** A template as it is offered. */
export class OfferedTemplate {
  @ApiProperty() id: string;
  @ApiProperty() name: string;
  @ApiProperty({ description: 'What it does, in one sentence' }) description: string;
}

export class OfferedTemplatePage extends PageOf(OfferedTemplate) {}

export class TemplateToolView {
  @ApiProperty() name: string;
  @ApiProperty({ enum: toolGrades, description: 'What a call can do at most' }) grade: ToolGrade;
}

export class PartProblem {
  @ApiProperty({ description: 'Stable, for programs' }) code: string;
  @ApiProperty({ description: 'What is wrong and what to do' }) detail: string;
}

/** One thing that a template makes. */
export class TemplatePartView {
  @ApiProperty({ enum: partKinds }) kind: PartKind;
  @ApiProperty({ description: 'By which it is recognised in the project' }) name: string;
  @ApiProperty() does: string;
  @ApiProperty({ type: [TemplateToolView], description: 'Tools that it is, or gives to its agent' })
  tools: TemplateToolView[];
  @ApiProperty({
    enum: partStates,
    description: 'made, failed: by this application. there: the project had it before, and it stays as it is',
  })
  state: PartState;
  @ApiProperty({ type: String, nullable: true, description: 'Null while it is missing; of a channel that of its App' })
  id: string | null;
  @ApiProperty({ type: PartProblem, nullable: true, description: 'Why it failed. What comes after it was not tried' })
  problem: PartProblem | null;
}

class StepPlaceView implements StepPlace {
  @ApiProperty({ enum: ['models', 'agent', 'skill', 'app', 'apps', 'knowledge'] }) kind: StepPlace['kind'];
  @ApiProperty({ type: String, nullable: true, description: 'Null: a list, or it is not made yet' }) id: string | null;
}

/** What a template needs and cannot make. */
export class OpenStepView implements Omit<OpenStep, 'credential'> {
  @ApiProperty({ enum: needKinds }) kind: OpenStepKind;
  @ApiProperty() title: string;
  @ApiProperty({ description: 'What it is for, and what happens until then' }) text: string;
  @ApiProperty() done: boolean;
  @ApiProperty({ type: StepPlaceView, description: 'Where it is done' }) resource: StepPlace;
}

export class TemplateSampleView {
  @ApiProperty({ type: 'integer', description: 'From 1' }) number: number;
  @ApiProperty() name: string;
  @ApiProperty({ description: 'What happens with it' }) shows: string;
}

/** A template in a project: what it makes there, what is there, what is left to people. */
export class TemplateView extends OfferedTemplate {
  @ApiProperty({ description: 'All of its parts are there, so its samples can be sent' }) complete: boolean;
  @ApiProperty({ type: [TemplatePartView], description: 'In the order in which they are made' })
  parts: TemplatePartView[];
  @ApiProperty({ type: [OpenStepView] }) open_steps: OpenStepView[];
  @ApiProperty({ type: [TemplateSampleView] }) samples: TemplateSampleView[];
}

/** What became of a sample message. */
export class SentTemplateSample {
  @ApiProperty({ ...idOf('evt'), nullable: true, description: 'The event that it became; null: it was not taken' })
  event_id: string | null;
  @ApiProperty({ type: PartProblem, nullable: true, description: 'Why it was not taken' }) problem: PartProblem | null;
}
