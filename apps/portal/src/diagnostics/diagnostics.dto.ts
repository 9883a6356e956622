import { type Check, checks, type Finding } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';

const states = ['ok', 'warning', 'error'] as const;

export class FindingView implements Finding {
  @ApiProperty({ description: 'The service that found it' }) service: string;
  @ApiProperty({ enum: checks }) check: Check;
  @ApiProperty({
    enum: states,
    description:
      'error: something does not work, or a message may be lost. warning: it will soon stop working, or is not advisable',
  })
  state: Finding['state'];
  @ApiProperty({ description: 'One line for people' }) text: string;
  @ApiProperty({ type: String, nullable: true, description: 'Null: nothing to do' }) what_to_do: string | null;
}

class DiagnosedServiceView {
  @ApiProperty() service: string;
  @ApiProperty({ description: 'The version of Node' }) runtime: string;
  @ApiProperty({ type: 'integer' }) uptime_seconds: number;
}

export class DiagnosticsView {
  @ApiProperty({ format: 'date-time', description: "The portal's clock" }) now: string;
  @ApiProperty({ enum: states, description: 'The worst of the findings' }) state: Finding['state'];
  @ApiProperty({ type: [DiagnosedServiceView], description: 'Services that answered' })
  services: DiagnosedServiceView[];
  @ApiProperty({ type: [FindingView] }) data: FindingView[];
}
