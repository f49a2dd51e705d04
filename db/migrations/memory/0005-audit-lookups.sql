-- Audit events are asked for by kind and by subject, among many more of searches.
create index audit_event_kind on memory.audit_event (company_id, kind, id desc);
create index audit_event_subject on memory.audit_event (company_id, subject_id, id desc);
