"""Strategies of small games: profiles, played hands, and recorded behaviour."""
