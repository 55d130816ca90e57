-- Why: developers send a logo with their application, as PNG, JPEG or WebP.
create table connect_application_logos (
  application_id uuid primary key references connect_applications on delete cascade,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  type text not null check (type in ('image/png', 'image/jpeg', 'image/webp')),
  bytes bytea not null check (octet_length(bytes) <= 65536)
);

-- Logos of approved applications keep their type; `png` has the bytes of any of them.
alter table integration_logos add column type text not null default 'image/png';
alter table integration_logos add constraint integration_logos_type_check
  check (type in ('image/png', 'image/jpeg', 'image/webp')) not valid;
