// The views of a comparison as the address names them.

export interface Tab {
  id: string;
  label: string;
  /** the table's own title, where the label is shorter */
  title?: string;
  /** why it cannot be shown, "" if it can */
  absent: string;
}

export const SUMMARY = 'summary';
export const ATTRIBUTION = 'attribution';
export const STRICT = 'strict';
export const TIMELINES = 'timelines';
