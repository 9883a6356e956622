import { ProjectLimitsDto } from '#libs/project-limits';
import { idOf, Name, PageOf } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';

/** The body that creates or renames a project or an organization. */
export class Named {
  @Name(200) name: string;
}

export class ProjectView {
  @ApiProperty(idOf('prj')) id: string;
  @ApiProperty(idOf('org')) organization_id: string;
  @ApiProperty() name: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Null: the project is open' })
  closed_at: string | null;
  @ApiProperty({ type: ProjectLimitsDto }) limits: ProjectLimitsDto;
  @ApiProperty({ format: 'date-time' }) created_at: string;
}

export class ProjectPage extends PageOf(ProjectView) {}
