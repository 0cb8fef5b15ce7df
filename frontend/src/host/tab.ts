// Views of a comparison, with their ids in the address.

export interface Tab {
  id: string;
  label: string;
  /** the table's full title, if the label is shorter */
  title?: string;
  /** why the view cannot be shown, "" if it can */
  absent: string;
}

export const SUMMARY = 'summary';
export const ATTRIBUTION = 'attribution';
export const STRICT = 'strict';
export const TIMELINES = 'timelines';
export const CALL_TREE = 'call_tree';
