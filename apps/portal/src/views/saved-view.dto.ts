import { anyObject, Flag, idOf, JsonObject, Name, OneOf, PageOf, time } from '#libs/service-kit';
import { ApiProperty } from '@nestjs/swagger';
import { type SavedView, type ViewedList, viewedLists } from './saved-view.entity.js';

export class ViewQuery {
  @OneOf(viewedLists, { description: 'The list whose views are asked for' }) list: ViewedList;
}

export class NewView {
  @OneOf(viewedLists) list: ViewedList;
  @Name(100) name: string;
  @JsonObject({ description: 'The filters, as the console has them in the address; at most 4,000 characters' })
  search: Record<string, unknown>;
  @Flag({ optional: true, description: 'For everybody in the project (default false)' }) shared?: boolean;
}

export class SavedViewView {
  @ApiProperty(idOf('viw')) id: string;
  @ApiProperty({ enum: viewedLists }) list: ViewedList;
  @ApiProperty() name: string;
  @ApiProperty({ ...anyObject, description: 'The filters, as the console has them in the address' })
  search: Record<string, unknown>;
  @ApiProperty({ description: 'Everybody in the project has it' }) shared: boolean;
  @ApiProperty({ description: 'user:<id> or key:<id>' }) made_by: string;
  @ApiProperty({ description: 'Whether the caller may delete it' }) deletable: boolean;
  @ApiProperty(time) created_at: Date;
}

export class SavedViewPage extends PageOf(SavedViewView) {}

export function savedViewView(row: SavedView, deletable: boolean): SavedViewView {
  const { id, list, name, search, shared, made_by, created_at } = row;
  return { id, list, name, search, shared, made_by, deletable, created_at };
}
