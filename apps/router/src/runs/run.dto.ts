import { idOf, PageOf, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { type RunRow, type RunState, runStates } from './run.entity.js';

export class RunView implements RunRow {
  @ApiProperty(idOf('run')) id: string;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty(idOf('prj')) project_id: string;
  @ApiProperty({ type: 'integer' }) workflow_id: number;
  @ApiProperty({ ...idOf('trg'), nullable: true, description: 'Null: the message named the workflow itself' })
  trigger_id: string | null;
  @ApiProperty(idOf('msg')) message_id: string;
  @ApiProperty({ ...idOf('evt'), description: 'The event that it came of' }) receipt_id: string;
  @ApiProperty() replay: boolean;
  @ApiProperty({ description: 'A replay without delivery: calls that would change something are not made' })
  rehearsal: boolean;
  @ApiProperty({ ...idOf('run'), nullable: true, description: 'The run that this one repeats' }) replay_of:
    string | null;
  @ApiProperty({ enum: runStates }) state: RunState;
  @ApiProperty({ type: String, nullable: true }) error: string | null;
  @ApiProperty(time) created_at: Date;
  @ApiProperty({ ...time, nullable: true }) finished_at: Date | null;
}

export class RunPage extends PageOf(RunView) {}
