-- Why: agents and owners see whether a card is virtual or physical. Null is virtual, as all cards were.
alter table cards add column kind text;
